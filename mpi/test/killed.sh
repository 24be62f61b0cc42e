#!/bin/sh
# Ranks are killed while a job saves checkpoints: the job ends, says so, and the last checkpoint is whole.
#
#     killed.sh KILLED MPIRUN [ROUNDS]
set -eu
MPIRUN=$2
. "$(dirname "$0")/../../examples/mpi/mpirun.sh"
killed=$1 rounds=${3:-6}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1"
    cat out err
    exit 1
}

# The job has some minutes to end, and fails. MPI says why.
ends() {
    waited=0
    while kill -0 "$job" 2>/dev/null; do
        [ $waited -lt 1800 ] || { kill "$job"; fail "round $round: the job goes on without rank $victim"; }
        sleep 0.1
        waited=$((waited + 1))
    done
    status=0
    wait "$job" || status=$?
    [ $status -ne 0 ] || fail "round $round: the job says that all went well"
    cat out err | grep -Eqi 'killed|signal' || fail "round $round: nobody says what happened"
}

# What is left: nothing, or a checkpoint of at least the last step that was told of. There may be another number of ranks.
left() {
    saved=$(sed -n 's/^saved //p' out | tail -1)
    found=$(ranks 2 "$killed" check run 3 2>left_err) || fail "round $round: the checkpoint is refused: $(cat left_err)"
    echo "round $round: rank $victim, saved ${saved:-nothing}, found $found"
    case $found in
    none) [ -z "$saved" ] || fail "round $round: the checkpoint is gone" ;;
    "step "*) [ "${found#step }" -ge "${saved:-0}" ] || fail "round $round: the checkpoint is an old one" ;;
    *) fail "round $round: $found" ;;
    esac
}

# At any time: by a signal from outside.
round=1
while [ "$round" -le "$rounds" ]; do
    victim=$((round % 3))
    rm -f run run.* out err
    ranks 3 "$killed" save run >out 2>err &
    job=$!
    waited=0
    until pid=$(sed -n "s/^rank $victim is process //p" out) && [ -n "$pid" ]; do
        [ $waited -lt 1800 ] || fail "the job does not start"
        sleep 0.1
        waited=$((waited + 1))
    done
    sleep "0.$((round * 37 % 10))$((round * 53 % 10))"
    kill -s KILL "$pid"
    ends
    left
    round=$((round + 1))
done

# While a rank writes its image: of the first checkpoint, and of a later one.
for step in 1 3; do
    victim=$((step % 3)) round="of step $step"
    rm -f run run.* out err
    ranks 3 "$killed" die run $step $victim >out 2>err &
    job=$!
    ends
    left
    [ "$found" = "$([ $step -eq 1 ] && echo none || echo "step $((step - 1))")" ] || fail "round $round: found $found"
    # The next job saves where the last one ended, over what it has left.
    ranks 3 "$killed" die run $((step + 2)) 0 >out 2>err &
    job=$!
    ends
    left
    [ "$found" = "step $((step + 1))" ] || fail "round $round: found $found in the next job"
done
