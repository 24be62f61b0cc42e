#!/bin/sh
# The program of docs/mpi.md is examples/mpi/first.c, and each rank has the walker of the one before: program.sh FIRST MPIRUN
set -eu
MPIRUN=$2
source=$(dirname "$0")/../..
. "$source/examples/mpi/mpirun.sh"
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/mpi.md" | diff - "$source/examples/mpi/first.c"
[ "$(ranks 3 "$1" | sort | tr '\n' ' ')" = \
    "rank 0 has the walker of rank 2 rank 1 has the walker of rank 0 rank 2 has the walker of rank 1 " ]
