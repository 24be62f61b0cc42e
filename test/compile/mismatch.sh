#!/bin/sh
# A program that was compiled with other constants than the library does not link, for each constant and for each
# function that creates a structure:
#
#     mismatch.sh CC PREFIX WORK_DIR
set -eu

cc=$1 prefix=$2 work=$3
mkdir -p "$work"
cd "$work"

links() { # FUNCTION OPTION...
    function=$1
    shift
    printf '#include <covey/sparse_set.h>\nint main(void) { return %s(NULL) == NULL; }\n' "$function" >mismatch.c
    "$cc" -std=c11 "$@" -I "$prefix/include" mismatch.c "$prefix/lib/libcovey.a" -o mismatch 2>message
}

for function in covey_world_create covey_sparse_set_create; do
    if ! links $function; then
        cat message
        echo "$function does not even link with the constants of the library"
        exit 1
    fi
    for option in COVEY_INDEX_BITS=31 COVEY_GENERATION_BITS=12 COVEY_PAGE_SIZE=512; do
        if links $function -D$option; then
            echo "$function was linked with -D$option"
            exit 1
        fi
        if ! grep -q "${function}_i" message; then
            cat message
            echo "$function with -D$option: the message does not name the constants"
            exit 1
        fi
    done
done
