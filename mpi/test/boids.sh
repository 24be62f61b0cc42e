#!/bin/sh
# The digest of boids depends on the number of ranks only. With 2 to 4 ranks, the difference of each boid from the run
# on one rank is within its bound.
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
# The ratio that --compare printed: 1 where a difference equals its bound.
part() { sed -n "s/^$1 .*, \(.*\) of their bound/\1/p" "$flock.out"; }
is() { awk "BEGIN { exit !($1) }"; }

fly 1 --write "$flock"
fly 1 --one-cell --compare "$flock" # without cells: cells miss no neighbour
cat "$flock.out"
for count in 1 2 3 4; do
    fly "$count" --compare "$flock"
    cat "$flock.out"
    # Boids see each other up to a distance of 1. A useful bound is far below that.
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

# The bound also holds for runs that begin a millionth apart, much more than rounding errors.
fly 1 --steps 60 --write "$flock"
fly 2 --steps 60 --apart 1e-6 --compare "$flock"
cat "$flock.out"
is "$(part positions) > 0.1"
# With one or two neighbours, one step of some boids nearly reaches the bound.
fly 1 --boids 300 --steps 1 --write "$flock"
fly 1 --boids 300 --steps 1 --apart 1e-6 --compare "$flock"
cat "$flock.out"
is "$(part velocities) > 0.8"
# If all operations round up, the rounding error is not much below its bound.
fly 1 --steps 5 --write "$flock"
fly 1 --steps 5 --round-up --compare "$flock"
cat "$flock.out"
is "$(part positions) > 0.1 && $(part velocities) > 0.01"

# The comparison can fail: with a halo that is too small, boids exceed their bounds.
for halo in 0.5 0.9; do
    fly 2 --halo "$halo" --write "$flock"
    if fly 1 --compare "$flock"; then exit 1; fi
    cat "$flock.out"
    is "$(part positions) > 1000"
done
