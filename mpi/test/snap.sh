#!/bin/sh
# covey-snap shows a checkpoint of three ranks as one world, with the contents of all ranks:
#
#     snap.sh SNAP COVEY_SNAP MPIRUN
set -eu
MPIRUN=$3
. "$(dirname "$0")/../../examples/mpi/mpirun.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ranks 3 "$1" run
"$2" verify run
"$2" export run Bond | tail -n +2 | sort >shown
sort run.has.0 run.has.1 run.has.2 >had
[ -s had ]
diff had shown
"$2" info run | grep -q "^entities  $(wc -l <had | tr -d ' ') alive"
# The image of one rank has fewer entities, and without it the checkpoint is refused.
! "$2" diff --brief run run.1.1
rm run.1.1
! "$2" verify run 2>said
grep -q 'run\.1\.1' said
