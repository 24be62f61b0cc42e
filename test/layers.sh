#!/bin/sh
# Checks the layers of the sources, which docs/design.md draws:
#
#     layers.sh includes SOURCE_DIR    a file includes headers of its own layer and of those below, never of one above;
#                                      and no two files need each other, not even through others
#     layers.sh kinds SOURCE_DIR       only the storage layer asks which kind of storage a pool has
#     layers.sh shortcuts SOURCE_DIR   shortcuts are switched by name: only shortcut.h and shortcut_on.c write them
set -eu

step=$1
cd "$2/src"

# From the bottom to the top. A header is in the layer of its source.
layers='
memory   alloc balanced bits crc32c dependent hash lines pages result tick_page unchecked
storage  block_store default fields hook kept marks presence shortcut shortcut_on slab sparse_set sparse_set_valid storage storage_bytes
storage  storage_erase storage_list storage_map storage_place stretch type type_rules
observe  guard listeners members observe observers order queue signal tick
change   again change commands convert copy enable entity gather listen many pool pool_of range resource set_array table
query    batch group iter match reactive sort view view_rules walk
tree     hierarchy name node
state    codec copy_into file follower history history_world image image_codec image_entities image_file image_filter image_follow image_load image_merge image_pool
state    image_read image_save os rollback world_clone
world    advise memory_model print validate world
systems  crew plan schedule schedule_data schedule_print schedule_run schedule_work systems thread_start threads
'

# Prints "from to" for each include of our own, without .c and .h.
includes() { grep -o '^#include ".*"' ./*.[ch] | sed 's|^\./\(.*\)\.[ch]:#include "\(.*\)\.h"|\1 \2|'; }

case $step in
includes)
    status=0
    { echo "$layers" && echo includes && ls ./*.[ch] | sed 's|^\./\(.*\)\.[ch]$|\1 \1|' && includes; } | awk '
        $1 == "includes" { listed = 1; next }
        !listed { if (NF > 1 && !($1 in rank)) rank[$1] = ++count; for (i = 2; i <= NF; i++) layer[$i] = $1; next }
        !($1 in layer) { if (!told[$1]++) print $1 " is in no layer: add it to test/layers.sh"; bad = 1; next }
        !($2 in layer) { next }
        rank[layer[$2]] > rank[layer[$1]] {
            print $1 " (" layer[$1] ") includes " $2 ".h (" layer[$2] "), which is above it"
            bad = 1
        }
        END { exit bad }' || status=1
    round=$(includes | awk '$1 != $2' | tsort 2>&1 >/dev/null) || true
    if [ -n "$round" ]; then
        echo "files that need each other:"
        echo "$round"
        status=1
    fi
    exit $status
    ;;
kinds)
    # Besides the storage layer, iter, batch and match may ask: a loop over a pool is another one for each kind, the hot path.
    found=$(grep -nE 'covey__in_blocks|COVEY_STORAGE_(SPARSE|BLOCK|PINNED)' ./*.[ch] | grep -v '\.storage = COVEY_' |
        grep -vE '^\./(storage(_[a-z]+)?|iter|batch|match)\.[ch]:' || true)
    [ -n "$found" ] || exit 0
    echo "asks for the kind of a storage outside of the storage layer:"
    echo "$found"
    exit 1
    ;;
shortcuts)
    found=$(grep -nE '(filling|emptying)(\.|->)[a-z_]+ *([-+|&]?=[^=]|\+\+|--)' ./*.[ch] |
        grep -vE '^\./(shortcut|shortcut_on)\.[ch]:' || true)
    [ -n "$found" ] || exit 0
    echo "switches a shortcut without its name:"
    echo "$found"
    exit 1
    ;;
*)
    echo "unknown step $step"
    exit 2
    ;;
esac
