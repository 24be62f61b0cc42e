#!/bin/sh
# Runs the memory program on a small world and checks its output. The bars are not checked here.
#
#     memory.sh PROGRAM ENTITIES WORK_DIR
set -eu

program=$1 entities=$2 work=$3
mkdir -p "$work"
cd "$work"

complain() {
    echo "$*"
    exit 1
}

# Lines of a file that match.
count() { grep -c -e "$1" "$2" || true; }

expect_count() { # NUMBER PATTERN FILE
    found=$(count "$2" "$3")
    [ "$found" = "$1" ] || complain "$3 has $found lines with $2 instead of $1"
}

expect_status() { # STATUS [OPTION...]
    expected=$1
    shift
    status=0
    "$program" "$@" >status.txt 2>&1 || status=$?
    [ "$status" = "$expected" ] || complain "$* ends with $status instead of $expected: $(cat status.txt)"
}

"$program" --entities "$entities" --csv memory.csv --svg memory.svg >memory.txt

# The table has a row for each size; nothing is coloured in a file.
escape=$(printf '\033')
expect_count 16 '^ *[0-9][0-9]*\(  *[0-9.]*[+!]\{0,1\}\)\{10\} *$' memory.txt
expect_count 0 "$escape" memory.txt

# A row for each cell of both tables: 16 sizes, 10 utilisations.
[ "$(head -n 1 memory.csv)" = size,utilisation,n,bytes_filled,bytes_compact,linear,bitmask,sparse,ratio ] ||
    complain "the head of memory.csv is $(head -n 1 memory.csv)"
expect_count 321 '' memory.csv
expect_count 320 '^[0-9]*,[01]\.[0-9],[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*\.[0-9]*$' memory.csv
cut -d, -f1-3 memory.csv | sed 1d | sort -u >cells.txt
[ "$entities" = 1000 ] || expect_count 320 '' cells.txt
# For 128 bytes at utilisation 0.5 and 1,000 entities: linear, bitmask and sparse.
grep -q '^128,0.5,1000,[0-9]*,[0-9]*,129000,128125,72000,' memory.csv || complain "the formulas are not in memory.csv"

# One SVG element, with a box and a number for each cell, without links.
[ "$(head -c 5 memory.svg)" = '<svg ' ] || complain "memory.svg does not begin with <svg"
[ "$(tail -n 1 memory.svg)" = '</svg>' ] || complain "memory.svg does not end with </svg>"
expect_count 160 '>[0-9]\.[0-9][0-9][0-9]</text>$' memory.svg
for word in script href url; do expect_count 0 $word memory.svg; done
[ "$(count '<text ' memory.svg)" = "$(count '</text>$' memory.svg)" ] || complain "a text of memory.svg does not end"
[ "$(count '<g' memory.svg)" = "$(count '</g>' memory.svg)" ] || complain "a group of memory.svg does not end"
[ "$(count '<rect ' memory.svg)" = "$(count '<rect .*/>$' memory.svg)" ] || complain "a box of memory.svg does not end"
if command -v xmllint >/dev/null; then xmllint --noout memory.svg; fi

# A sparse pool has a slot, an id and a value for each component; small pages also have a large directory.
bytes=$(sed -n 's/^A sparse pool of .* takes \([0-9]*\)\.[0-9]* bytes for each; handles have 8 bytes$/\1/p' memory.txt)
narrow=$(sed -n 's/^A sparse pool of .* takes \([0-9]*\)\.[0-9]* bytes for each; handles have 4 bytes$/\1/p' memory.txt)
[ "${bytes:-none}" = 24 ] || [ "${narrow:-none}" = 16 ] || [ "$entities" = 1000 ] ||
    complain "a sparse pool takes $bytes$narrow bytes"
"$program" --sparse --entities "$entities" >sparse.txt
expect_count 1 '' sparse.txt
[ "$(cat sparse.txt)" = "$(tail -n 1 memory.txt)" ] || complain "--sparse prints $(cat sparse.txt)"

# The same bytes in every run.
"$program" --entities "$entities" --csv again.csv >/dev/null
cmp memory.csv again.csv

# --strict fails when a bar is missed.
missed=0
if grep -q MISSED memory.txt; then missed=1; fi
expect_status $missed --strict --entities "$entities"

expect_status 0 --help
expect_status 2 --unknown
expect_status 2 --entities
expect_status 2 --entities 0
expect_status 2 --entities 12x
expect_status 2 --entities -5
expect_status 2 --entities 99999999999999999999999
expect_status 2 --csv "$work/no/such/directory/memory.csv"
expect_status 2 --svg "$work/no/such/directory/memory.svg"
