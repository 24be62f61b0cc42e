#!/bin/sh
# Runs the epidemic on 2 ranks and on one, and compares their digests:
#
#     run.sh SIR [OPTIONS OF SIR...]
set -eu
. "$(dirname "$0")/mpirun.sh"
sir=$1
shift
out=$(mktemp)
trap 'rm -f "$out"' EXIT

echo "2 ranks:"
ranks 2 "$sir" "$@" >"$out"
cat "$out"
two=$(sed -n 's/^digest //p' "$out")
echo
echo "1 rank:"
ranks 1 "$sir" "$@" >"$out"
cat "$out"
one=$(sed -n 's/^digest //p' "$out")
echo
if [ "$one" != "$two" ]; then
    echo "the digests differ: $two on 2 ranks, $one on one"
    exit 1
fi
echo "The digests are equal."
