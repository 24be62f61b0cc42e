#!/bin/sh
# Checks that a mistake is caught by the compiler:
#
#     fail.sh COMPILER INCLUDE_DIR FILE
#
# FILE must not compile, for the reason given as an extended regular expression in its first line,
#
#     /* expect: REGEX */
#
# and it must compile with -DFIXED, which shows that nothing else is wrong. C++ must have one error, and no other one that
# follows from it; so must C if line 2 is
#
#     /* errors: 1 */
set -eu

cc=$1 include=$2 file=$3
LC_ALL=C
export LC_ALL

case $file in *.cpp) std=c++17 ;; *) std=c11 ;; esac
compile() { "$cc" -std=$std -Wall -Wextra -Wpedantic -Werror -I "$include" "$@" -c "$file" -o /dev/null 2>&1; }

regex=$(sed -n '1s|^/\* expect: \(.*\) \*/$|\1|p' "$file")
if [ -z "$regex" ]; then
    echo "$file: the first line is not /* expect: REGEX */"
    exit 1
fi
if ! message=$(compile -DFIXED); then
    printf '%s\n' "$message" "$file does not even compile with -DFIXED"
    exit 1
fi
if message=$(compile); then
    echo "$file compiles, but should not"
    exit 1
fi
errors=$(sed -n '2s|^/\* errors: \([0-9]*\) \*/$|\1|p' "$file")
case $file in *.cpp) errors=1 ;; esac
if [ -n "$errors" ] && [ "$(printf '%s\n' "$message" | grep -c 'error: ')" -ne "$errors" ]; then
    printf '%s\n' "$message" "$file has more errors than $errors, or fewer"
    exit 1
fi
if ! printf '%s\n' "$message" | grep -Eq -e "$regex"; then
    printf '%s\n' "$message" "$file does not compile, but the message does not match: $regex"
    exit 1
fi
