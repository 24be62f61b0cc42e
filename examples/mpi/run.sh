#!/bin/sh
# Runs a model on 2 ranks and on one, and compares the results. The digests of the epidemic are equal; the positions of
# boids differ within bounds.
#
# Shows the progress on a terminal only; below mpirun, a program cannot see whether there is one.
#
#     run.sh MODEL [OPTIONS OF THE MODEL...]
set -eu
. "$(dirname "$0")/mpirun.sh"
model=$1
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
boids=
case $model in *boids) boids=yes ;; esac
progress=
[ ! -t 2 ] || progress=--progress

echo "2 ranks:"
ranks 2 "$model" "$@" $progress ${boids:+--write "$out/boids"} >"$out/two"
cat "$out/two"
echo
echo "1 rank:"
status=0
ranks 1 "$model" "$@" $progress ${boids:+--compare "$out/boids"} >"$out/one" || status=$?
cat "$out/one"
echo
if [ -n "$boids" ]; then
    [ "$status" != 0 ] || echo "Each boid is within its bound."
    exit "$status"
fi
[ "$status" = 0 ] || exit "$status"
one=$(sed -n 's/^digest //p' "$out/one")
two=$(sed -n 's/^digest //p' "$out/two")
if [ "$one" != "$two" ]; then
    echo "the digests differ: $two on 2 ranks, $one on one"
    exit 1
fi
echo "The digests are equal."
