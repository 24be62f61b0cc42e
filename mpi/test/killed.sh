#!/bin/sh
# Ranks are killed while a job saves checkpoints: the job ends with an error, and the last checkpoint is complete. The
# next job that saves at the same path removes the leftovers, and nothing else.
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

# Waits some minutes for the job to end. It fails, and MPI says why.
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
    cat out err | grep -Eqi 'killed|signal' || fail "round $round: no message says what happened"
}

# Checks what remains: no checkpoint, or one of at least the last step that was reported. Loads it with 2 ranks.
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

# Killed at a random time, by a signal.
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

# Killed while a rank writes its image: of the first checkpoint, and of a later one.
for step in 1 3; do
    victim=$((step % 3)) round="of step $step"
    rm -f run run.* out err
    ranks 3 "$killed" die run $step $victim >out 2>err &
    job=$!
    ends
    left
    [ "$found" = "$([ $step -eq 1 ] && echo none || echo "step $((step - 1))")" ] || fail "round $round: found $found"
    # The next job continues where the last one ended, and saves over its leftovers.
    ranks 3 "$killed" die run $((step + 2)) 0 >out 2>err &
    job=$!
    ends
    left
    [ "$found" = "step $((step + 1))" ] || fail "round $round: found $found in the next job"
done

# Killed before each call that changes a file, of the first checkpoint and of the next one. The next job has 1 to 3
# ranks. It removes the leftovers; other files with such names stay.
others() {
    mkdir run.1.91 && ln -s out run.1.92 && mkfifo run.1.93
    for name in run.1.90 run.1.94.tmp-1-0 run.0.new run.log run.1.0.bak run.01.0 run.1.0.tmp-x run.900.0 run.900; do
        echo "some other file" >"$name"
    done
    [ $step -eq 1 ] || echo "some other file" >run.1.new
}

more_left() {
    : >run.1.96.tmp-a-0
    [ ! -f run.1.1 ] || cp run.1.1 run.1.95
}

goes_on() {
    count=$((1 + call % 3))
    found=$(ranks "$count" "$killed" resume run 2 2>left_err) || fail "round $round: it does not go on: $(cat left_err)"
    case $found in none | "step $step" | "step $((step - 1))") ;; *) fail "round $round: found $found" ;; esac
    number=$(sed 's/.* number \([0-9]*\) .*/\1/' run)
    wanted=$( (echo run; echo "$theirs"; seq -f "run.$number.%g" 0 $((count - 1))) | sort)
    left=$(ls -d run run.* | sort)
    [ "$left" = "$wanted" ] || fail "round $round: there are $(echo $left), and not $(echo $wanted)"
}

for step in 1 2; do
    for victim in 0 1; do
        call=1
        while :; do
            round="of call $call in step $step"
            rm -rf run run.* out err
            ! ranks 2 "$killed" die run $step $victim $call >out 2>err || break
            kept=$(ls -d run.*)
            others
            theirs=$(ls -d run.* | grep -vxF "$kept")
            more_left
            goes_on
            echo "round $round: rank $victim, found $found, left $(echo $kept)"
            call=$((call + 1))
        done
        [ $call -gt 3 ] || fail "rank $victim changes files only $((call - 1)) times in step $step"
    done
done
