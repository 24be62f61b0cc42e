#!/bin/sh
# size.sh SOURCE_DIR BUILD_DIR: the library and its smallest program must not grow. Builds both as a release with -O2, and
# fails when one has 10 % more bytes than bench/RESULTS.md says. Only for gcc on x86-64, whose code these bytes are.
set -eu

source=$1
build=$2

skip() {
    echo "skipped: $*"
    exit 77
}

[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
command -v gcc >/dev/null && command -v size >/dev/null && command -v strip >/dev/null || skip "gcc, size or strip is missing"
gcc --version | grep -qi "free software foundation" || skip "gcc is another compiler"
case $(gcc -dumpmachine) in x86_64-*linux*) ;; *) skip "gcc compiles for another machine" ;; esac

cmake -S "$source" -B "$build" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS= \
    -DCMAKE_C_FLAGS_RELEASE="-O2 -DNDEBUG" -DBUILD_SHARED_LIBS=OFF -DCOVEY_TESTS=OFF -DCOVEY_TOOLS=OFF \
    -DCOVEY_EXAMPLES=OFF -DCOVEY_INSPECT=OFF -DCOVEY_ZSTD=OFF >/dev/null
cmake --build "$build" --target covey >/dev/null

# The figure of a row of bench/RESULTS.md: "| `NAME` | FIGURE KB |".
figure() { sed -n "s/^| $1 | \([0-9]*\) KB |.*/\1/p" "$source/bench/RESULTS.md"; }

# Fails when something has more than the figure and 10 %.
check() { # NAME BYTES
    most=$(figure "$1")
    [ -n "$most" ] || { echo "bench/RESULTS.md has no row for $1"; exit 1; }
    echo "$1: $2 bytes; bench/RESULTS.md has $most KB"
    [ "$2" -le $((most * 1100)) ] || failed=1
}

failed=0
check "text of the library" "$(size -t "$build/libcovey.a" | awk 'END { print $1 }')"

# The C library is shared, because a static one has more bytes than Covey.
gcc -std=c11 -O2 -DNDEBUG -I "$source/include" "$source/examples/01_hello.c" "$build/libcovey.a" -Wl,--gc-sections \
    -lpthread -s -o "$build/hello"
"$build/hello" >/dev/null
check "hello world" "$(wc -c <"$build/hello")"
[ "$failed" = 0 ] || echo "more than 10 % above: find what is linked with -Wl,-Map, or say in bench/RESULTS.md why it grew"
exit $failed
