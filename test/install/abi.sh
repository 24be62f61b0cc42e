#!/bin/sh
# scripts/abi finds changes that break programs, shown on small libraries:
#
#     abi.sh SOURCE_DIR WORK_DIR CC
set -eu

source=$1 work=$2 cc=$3
abi=$source/scripts/abi
command -v abidiff >/dev/null || { echo "skipped: there is no abidiff; scripts/setup dist installs it"; exit 77; }
rm -rf "$work"
mkdir -p "$work"

make() { # NAME SONAME STRUCT SOURCE
    mkdir "$work/$1"
    echo "struct pair { $3; };" >"$work/$1/pair.h"
    echo "#include \"pair.h\"
$4" >"$work/$1/pair.c"
    "$cc" -g -fPIC -shared -Wl,-soname,"$2" "$work/$1/pair.c" -o "$work/$1.so"
    "$abi" dump "$work/$1.so" "$work/$1.abi" "$work/$1"
}

expect() { # STATUS OLD NEW
    status=0
    "$abi" check "$work/$2.abi" "$work/$3.abi" || status=$?
    [ $status -eq "$1" ] || { echo "from $2 to $3: $status instead of $1"; exit 1; }
}

sum='int sum(struct pair *p) { return (int)(p->a + p->b); }'
make old libpair.so.1 "int a, b" "$sum"
make same libpair.so.1 "int a, b" "$sum
static int two(void) { return 2; } int (*used)(void) __attribute__((visibility(\"hidden\"))) = two;"
make more libpair.so.1 "int a, b" "$sum
int one(void) { return 1; }"
make less libpair.so.1 "int a, b" "int difference(struct pair *p) { return p->a - p->b; }"
make other libpair.so.1 "long a, b" "$sum"
make next libpair.so.2 "long a, b" "$sum"
expect 0 old same
expect 0 old more
expect 1 old less
expect 1 old other
expect 0 old next
