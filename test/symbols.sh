#!/bin/sh
# Checks the compiled library: it has no variables that can be written, so worlds share no state; and it calls nothing that
# ends the program or has state of its own. Only a broken contract aborts (src/memory/result.c).
#
#     symbols.sh LIBRARY    a static library, compiled without sanitizers
set -eu
library=$1

fail() {
    echo "$1:"
    echo "$2"
    exit 1
}

# Sections that are only written when the program is loaded (.data.rel.ro) count as constant. From assertion level 1 on, a
# schedule has a word for each thread (.tbss), which docs/design.md explains.
writable=$(objdump -h "$library" |
    awk '$2 ~ /^\.(data|bss)(\.|$)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ { print $2, "of", $3, "bytes" }
    $2 == "COMMON" { print }')
[ -z "$writable" ] || fail "variables that can be written" "$writable"

# "file function" for each function that is not of the library.
calls=$(nm -A -u "$library" | sed 's/^.*:\([^:]*\): *[Uw] /\1 /')
for function in exit _exit _Exit quick_exit raise signal longjmp atexit getenv setlocale rand srand random time strtok strerror; do
    users=$(printf '%s\n' "$calls" | awk -v f="$function" '$2 == f { print $1 }')
    [ -z "$users" ] || fail "$function is called by" "$users"
done
users=$(printf '%s\n' "$calls" | awk '$2 == "abort" && $1 !~ /^result\./ { print $1 }')
[ -z "$users" ] || fail "abort is called by" "$users"
