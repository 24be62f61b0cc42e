#!/bin/sh
# The models have the same digests with both MPIs: both.sh BUILD_WITH_OPENMPI BUILD_WITH_MPICH
set -eu
. "$(dirname "$0")/../../examples/mpi/mpirun.sh"
openmpi=$1 mpich=$2

# digest MPIRUN BUILD RANKS PROGRAM OPTIONS...
digest() (
    MPIRUN=$1
    program=$2/examples/mpi/$4 count=$3
    shift 4
    ranks "$count" "$program" --quiet "$@" | sed -n 's/^digest //p'
)

check() {
    one=$(digest mpirun.openmpi "$openmpi" "$@")
    two=$(digest mpirun.mpich "$mpich" "$@")
    echo "$*: $one"
    [ -n "$one" ]
    [ "$one" = "$two" ] || { echo "with MPICH: $two"; exit 1; }
}

for count in 1 2 3; do
    check "$count" sir --side 100 --agents 5000 --steps 100
    check "$count" boids --side 16 --boids 1000
done
