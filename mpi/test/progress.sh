#!/bin/sh
# `make run-mpi` shows a progress bar on a terminal, and writes none into files: progress.sh SIR MPIRUN
set -eu
sir=$1 MPIRUN=$2
export MPIRUN
run="$(dirname "$0")/../../examples/mpi/run.sh $sir --side 100 --agents 1000 --steps 20"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bar() { grep -c 'step 20 of 20' "$out" || true; }

$run >"$out" 2>&1
grep 'The digests are equal' "$out"
[ "$(bar)" -eq 0 ]
command -v script >/dev/null || { echo "there is no script: the terminal is left out"; exit 0; }
script -qec "$run" /dev/null </dev/null >"$out"
[ "$(bar)" -eq 2 ] # with 2 ranks, and with one
