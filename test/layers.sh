#!/bin/sh
# Checks the layers of the sources, which docs/design.md draws. The layer of a file is its folder in src.
#
#     layers.sh includes SOURCE_DIR    a file includes headers of its own layer and of those below, never of one above;
#                                      no two files need each other, not even through others; a name occurs once
#     layers.sh kinds SOURCE_DIR       only the storage layer asks which kind of storage a pool has
#     layers.sh shortcuts SOURCE_DIR   shortcuts are switched by name: only shortcut_off.h and shortcut_on.c write them
set -eu

step=$1
cd "$2/src"

# From the bottom to the top.
layers='memory storage observe change query tree image history world schedule'

# Prints "from to" for each include of our own: layer/name, without .c and .h.
includes() { grep -o '^#include ".*"' ./*/*.[ch] | sed 's|^\./\(.*\)\.[ch]:#include "\(.*\)\.h"|\1 \2|'; }

# Fails with a heading if there is anything to report.
report() { # HEADING TEXT
    [ -n "$2" ] || return 0
    printf '%s:\n%s\n' "$1" "$2"
    status=1
}

status=0
case $step in
includes)
    report "not in the folder of a layer" "$(find . -name '*.[ch]' | grep -vE "^\./($(echo $layers | tr ' ' '|'))/[a-z0-9_]+\.[ch]$")"
    report "in two folders" "$(ls ./*/*.[ch] | sed 's|.*/||' | sort | uniq -d)"
    report "include a header without its folder, or of a layer above" "$(includes | awk -v layers="$layers" '
        function layer(file) { sub(/\/.*/, "", file); return file }
        BEGIN { count = split(layers, names, " "); for (i = 1; i <= count; i++) rank[names[i]] = i }
        !(layer($2) in rank) || rank[layer($2)] > rank[layer($1)] { print $1 " includes " $2 ".h" }')"
    report "files that need each other" "$(includes | awk '$1 != $2' | tsort 2>&1 >/dev/null)"
    ;;
kinds)
    # Besides the storage layer, iter, batch and match may ask: a loop over a pool is another one for each kind, the hot path.
    report "ask for the kind of a storage outside of the storage layer" "$(
        grep -nE 'covey__in_blocks|COVEY_STORAGE_(SPARSE|BLOCK|PINNED)' ./*/*.[ch] | grep -v '\.storage = COVEY_' |
            grep -vE '^\./(storage/[a-z_]+|query/(iter|batch|match))\.[ch]:')"
    ;;
shortcuts)
    report "switch a shortcut without its name" "$(
        grep -nE '(filling|emptying)(\.|->)[a-z_]+ *([-+|&]?=[^=]|\+\+|--)' ./*/*.[ch] |
            grep -vE '/shortcut_(off|on)\.[ch]:')"
    ;;
*)
    echo "unknown step $step"
    exit 2
    ;;
esac
exit $status
