#!/bin/sh
# instructions.sh <program>: the instructions of each kind of call, counted by valgrind; the same in every run.
set -eu
program=$1
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
valgrind --quiet --tool=callgrind --callgrind-out-file="$counts" "$program"
echo "call                   instructions"
callgrind_annotate --inclusive=yes --threshold=100 "$counts" | sed -n 's/,//g; s/^ *\([0-9]*\) .*:calls_\([a-z_]*\).*/\2 \1/p' |
    sort -u | awk '{ calls = $1 == "add_block" ? 40000 : 20000; printf "%-22s %12.1f\n", $1, $2 / calls }'
