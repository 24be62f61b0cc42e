#!/bin/sh
# The first program of docs/mpi.md in a language, c or cpp, equals examples/mpi/first.c or first.cpp, and moves each
# walker to the next rank: program.sh LANGUAGE FIRST MPIRUN
set -eu
language=$1 MPIRUN=$3
source=$(dirname "$0")/../..
. "$source/examples/mpi/mpirun.sh"
awk -v begin='```'"$language" '$0 == begin { on = 1; next } /^```$/ && on { exit } on' "$source/docs/mpi.md" |
    diff - "$source/examples/mpi/first.$language"
[ "$(ranks 3 "$2" | grep walker | sort | tr '\n' ' ')" = \
    "rank 0 has the walker of rank 2 rank 1 has the walker of rank 0 rank 2 has the walker of rank 1 " ]
