#!/bin/sh
# Boids have one digest for each number of ranks, whatever else they run on; and with 2 to 4 ranks each of them is as near to
# where it is with one rank as its bound says.
#
#     boids.sh BOIDS MPIRUN
set -eu
MPIRUN=$2
. "$(dirname "$0")/../../examples/mpi/mpirun.sh"
boids=$1
folder=$(mktemp -d)
flock=$folder/flock
trap 'rm -rf "$folder"' EXIT

fly() {
    count=$1
    shift
    echo "$count ranks $*"
    ranks "$count" "$boids" "$@" --quiet --boids 1000 --side 16 >"$flock.out"
}
digest() { sed -n 's/^digest //p' "$flock.out"; }
# What --compare printed, as a number: 1 where a difference is as large as its bound allows.
part() { sed -n "s/^$1 .*, \(.*\) of their bound/\1/p" "$flock.out"; }
is() { awk "BEGIN { exit !($1) }"; }

fly 1 --write "$flock"
fly 1 --one-cell --compare "$flock" # without cells: no neighbour is overlooked
cat "$flock.out"
for count in 1 2 3 4; do
    fly "$count" --compare "$flock"
    cat "$flock.out"
    # Boids see each other up to a distance of 1: a bound that is of use is far below that.
    is "$(sed -n 's/^bound \([^ ]*\) for positions.*/\1/p' "$flock.out") < 1e-6"
    digest=$(digest)
    [ -n "$digest" ]
    fly "$count" --threads 2
    [ "$digest" = "$(digest)" ]
done
for count in 2 3; do
    fly "$count" --rebalance-every 30 --compare "$flock"
    cat "$flock.out"
    digest=$(digest)
    fly "$count" --rebalance-every 30
    [ "$digest" = "$(digest)" ]
done

# The bound also holds for runs that begin a millionth apart, which is much more than rounding does.
fly 1 --steps 60 --write "$flock"
fly 2 --steps 60 --apart 1e-6 --compare "$flock"
cat "$flock.out"
is "$(part positions) > 0.1"
# Where boids have one neighbour or two, one step of some of them is about as bad as the bound says.
fly 1 --boids 300 --steps 1 --write "$flock"
fly 1 --boids 300 --steps 1 --apart 1e-6 --compare "$flock"
cat "$flock.out"
is "$(part velocities) > 0.8"
# Where all is rounded to the same side, rounding is not much less than the bound says.
fly 1 --steps 5 --write "$flock"
fly 1 --steps 5 --round-up --compare "$flock"
cat "$flock.out"
is "$(part positions) > 0.1 && $(part velocities) > 0.01"

# A test that cannot fail tests nothing. With ghosts up to half the distance only, or nearly all of it, boids are beyond
# their bounds.
for halo in 0.5 0.9; do
    fly 2 --halo "$halo" --write "$flock"
    if fly 1 --compare "$flock"; then exit 1; fi
    cat "$flock.out"
    is "$(part positions) > 1000"
done
