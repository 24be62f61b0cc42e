#!/bin/sh
# A program with sanitizers leaks nothing on two ranks, except for memory that MPI itself does not free.
#
#     leaks.sh MPIRUN LIBASAN KEEP_LOADED PROGRAM...
set -eu
MPIRUN=$1
here=$(dirname "$0")
. "$here/../../examples/mpi/mpirun.sh"
preload="$2 $3"
shift 3
ranks 2 env LD_PRELOAD="$preload" ASAN_OPTIONS=fast_unwind_on_malloc=0 \
    LSAN_OPTIONS="detect_leaks=1:print_suppressions=0:suppressions=$here/lsan.supp" "$@"
