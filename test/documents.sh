#!/bin/sh
# Checks what the documents say against what is there:
#
#     documents.sh program SOURCE_DIR CC PREFIX WORK_DIR    the program in README.md is the first example; it runs
#     documents.sh links SOURCE_DIR                         every file that a document links to exists
#     documents.sh names SOURCE_DIR                         every test that docs/requirements.md names exists
set -eu

step=$1 source=$2

case $step in
program)
    cc=$3 prefix=$4 work=$5
    mkdir -p "$work"
    awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/README.md" >"$work/readme.c"
    diff "$source/examples/01_hello.c" "$work/readme.c"
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$prefix/include" "$work/readme.c" "$prefix/lib/libcovey.a" \
        -o "$work/readme"
    "$work/readme"
    ;;
links)
    cd "$source"
    status=0
    for document in *.md docs/*.md; do
        for target in $(sed 's/](/\n](/g' "$document" | sed -n 's/^](\([^)#]*\).*/\1/p'); do
            case $target in http*) continue ;; esac
            if [ ! -e "$(dirname "$document")/$target" ]; then
                echo "$document links to $target, which is not there"
                status=1
            fi
        done
    done
    exit $status
    ;;
names)
    cd "$source"
    status=0
    # Words in backquotes, in the last column of a row.
    for name in $(sed -n 's/^| REQ.*|\(.*\)|$/\1/p' docs/requirements.md | grep -o '`[a-z0-9_]*`' | tr -d '`' | sort -u); do
        if ! grep -rqw -e "$name" test bench fuzz --include='*.c' --include=CMakeLists.txt; then
            echo "docs/requirements.md names $name, which is not there"
            status=1
        fi
    done
    exit $status
    ;;
*)
    echo "unknown step $step"
    exit 2
    ;;
esac
