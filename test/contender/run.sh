#!/bin/sh
# covey-bench loads contenders, and refuses contenders that do not do the same work:
#
#     run.sh PROGRAM DIR GOOD    DIR has bad1.so to bad5.so, made of bad.c
set -eu

program=$1 dir=$2 good=$3

# Must exit with 2 and print this.
refused() {
    file=$1 text=$2 status=0
    message=$("$program" --check --contender "$file" 2>&1) || status=$?
    case $status:$message in
    2:*"$text"*) ;;
    *) echo "$file: expected '$text' and 2, got '$message' and $status"; exit 1 ;;
    esac
}

"$program" --check --contender "$good" | grep 'scenarios, all contestants agree'
"$program" --check --contender "$good" --contender "$good" >/dev/null
"$program" --list --contender "$good" | grep 'versus_iterate2 .*arrays'
refused "$dir/nowhere.so" "cannot load"
refused "$dir/bad1.so" "does not export contender_list"
refused "$dir/bad2.so" "compile it again"
refused "$dir/bad3.so" "versus_remove, n = 64: bad has the result 1, but block has 0"
refused "$dir/bad4.so" "the values of bad add up to"
refused "$dir/bad5.so" "a contender lacks"
