#!/bin/sh
# The rows of `make bench-mpi`: run.sh BUILD_DIR
set -eu
. "$(dirname "$0")/../../examples/mpi/mpirun.sh"

ranks 2 "$1/mpi/bench/covey-bench-mpi"

# The minimum of several runs, alternating, so that other load on the machine affects both alike.
seconds() { ranks "$1" "$2" --quiet --seconds --agents 1000000 --steps 60 | sed -n 's/^seconds //p'; }
one=999 two=999
for _ in 1 2 3 4 5; do
    one=$( (echo "$one"; seconds 1 "$1/examples/mpi/sir") | sort -g | head -1)
    two=$( (echo "$two"; seconds 2 "$1/examples/mpi/sir") | sort -g | head -1)
done
awk -v one="$one" -v two="$two" 'BEGIN {
    printf "%-24s %10.3f ms %10.3f ms %8.2f   at most 0.62\n", "mpi_sir", two * 1e3, one * 1e3, two / one }'
