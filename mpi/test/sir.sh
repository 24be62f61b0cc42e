#!/bin/sh
# The epidemic always has the same digest: with 1 to 4 ranks, 1 or 2 threads, with and without rebalancing, and with
# restarts on other numbers of ranks.
#
#     sir.sh SIR MPIRUN
set -eu
MPIRUN=$2
. "$(dirname "$0")/../../examples/mpi/mpirun.sh"
sir=$1
expected=

check() {
    count=$1
    shift
    digest=$(ranks "$count" "$sir" --quiet --side 100 --agents 5000 --steps 1000 "$@" | sed -n 's/^digest //p')
    echo "$count ranks $*: $digest"
    [ -n "$digest" ]
    [ "${expected:=$digest}" = "$digest" ]
}

for count in 1 2 3 4; do check "$count"; done
for count in 1 2 3 4; do check "$count" --threads 2; done
for count in 2 3; do check "$count" --rebalance-every 100; done
check 3 --rebalance 1 # by measured times, with a low limit
# Up to step 400 on two ranks, up to 700 on three, and the rest on one.
checkpoint=sir_$$
trap 'rm -f "$checkpoint" "$checkpoint".*' EXIT
model="--quiet --side 100 --agents 5000"
ranks 2 "$sir" $model --steps 400 --save "$checkpoint" >/dev/null
ranks 3 "$sir" $model --steps 700 --begin 400 --load "$checkpoint" --save "$checkpoint" >/dev/null
digest=$(ranks 1 "$sir" $model --steps 1000 --begin 700 --load "$checkpoint" | sed -n 's/^digest //p')
echo "2, 3 and 1 ranks: $digest"
[ "$expected" = "$digest" ]
# A trace has the exchange of each of the last 10 steps, with its bytes and how long it waited.
ranks 2 "$sir" $model --steps 50 --threads 2 --trace "$checkpoint.trace" >/dev/null
[ "$(grep -c '"name":"exchange",.*"bytes":[1-9][0-9]*,"blocked":[0-9]' "$checkpoint.trace")" = 10 ]
# The comparison can fail: another seed has another digest.
[ "$(ranks 2 "$sir" --quiet --side 100 --agents 5000 --steps 10 --seed 2 | sed -n 's/^digest //p')" != \
    "$(ranks 2 "$sir" --quiet --side 100 --agents 5000 --steps 10 | sed -n 's/^digest //p')" ]
