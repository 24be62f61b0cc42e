#!/bin/sh
# Checks the layers of the sources, which docs/design.md draws. The layer of a file is its folder in src.
#
#     layers.sh includes SOURCE_DIR    a file includes headers of its own layer and of those below, never of one above;
#                                      no two files need each other, not even through others; a name occurs once
#     layers.sh kinds SOURCE_DIR       only the storage layer knows which kind of storage a pool has, by its kind or by its
#                                      fields; besides it the loops of views: query/at_once, iter, batch, match and walk
#     layers.sh shortcuts SOURCE_DIR   shortcuts are switched by name: only shortcut_off.h and shortcut_on.c write them
set -eu

step=$1
cd "$2/src"

# From the bottom to the top.
layers='memory storage observe change query tree lookup image history world schedule'

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
    # The storage of a pool is its field `sparse_set` or `block_store`. Text in quotes is for users, who choose a kind, and
    # so is the storage of a type that is described.
    report "know the kind of a storage, outside of the storage layer and of the loops of views" "$(
        awk '{
            code = $0
            gsub(/"([^"\\]|\\.)*"/, "", code)
            gsub(/\.storage = COVEY_STORAGE_[A-Z]+/, "", code)
            if (code ~ /(->|\.)(sparse_set|block_store)([^a-z_0-9]|$)/ || code ~ /in_blocks\(|->by_block|\.by_block/ ||
                code ~ /COVEY_STORAGE_(SPARSE|BLOCK|PINNED)/) print FILENAME ":" FNR ": " $0
        }' $(ls ./*/*.[ch] | grep -vE '^\./(storage/.*|query/(at_once|iter|batch|match|walk)\.[ch])$'))"
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
