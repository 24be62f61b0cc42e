#!/bin/sh
# Builds the tests for each of four targets and runs them: gcc, clang, 32 bits, and a big-endian machine under qemu.
#
#     test/portable/run.sh JOBS [gcc] [clang] [m32] [s390x]
#
# Fails when a test fails, or when the digests (test/portable/digest.c) are not the same everywhere. Ends with a table;
# the output of each target is in build/portable/<target>.log.
set -u
cd "$(dirname "$0")/../.."

jobs=$1
shift
[ $# -gt 0 ] || set -- gcc clang m32 s390x
out=build/portable
failed=0
mkdir -p "$out"
rm -f "$out"/*

# check TARGET: configures, builds and tests it.
check() {
    cmake --preset "portable-$1" &&
        cmake --build "build/portable-$1" -j "$jobs" -- --no-print-directory &&
        ctest --preset "portable-$1" -j "$jobs" --verbose
}

compiler() {
    cc=$(sed -n 's/^set(CMAKE_C_COMPILER "\(.*\)")/\1/p' "build/portable-$1"/CMakeFiles/*/CMakeCCompiler.cmake)
    "${cc:-false}" --version | head -n 1
}

# The number of tests that the programs report, and the number of programs.
tests() {
    awk '/^[0-9]+: tests: / { passed += $3; skipped += $5 }
         /tests failed out of/ { programs = $NF }
         END { printf "%d in %d programs, %d skipped", passed, programs, skipped }' "$out/$1.log"
}

# The error messages of compilers, tests and ctest. One program fails on purpose.
complaints() {
    grep -E 'error:|^[0-9]+: [^ ]*\.(c|cpp|h):[0-9]+:|^	 *[0-9]+ - ' "$out/$1.log" | grep -v test_cmocka.c
}

for target in "$@"; do
    echo "==== $target: $out/$target.log"
    start=$(date +%s)
    result=ok
    check "$target" >"$out/$target.log" 2>&1 || result=FAILED
    [ $result = ok ] || complaints "$target"
    sed -n -E 's/^[0-9]+: ((program|digest) .*)/\1/p' "$out/$target.log" >"$out/$target.digest"
    if ! diff "$out/$1.digest" "$out/$target.digest"; then result="$result, ANOTHER DIGEST"; fi
    [ -s "$out/$target.digest" ] || result="$result, NO DIGEST"
    [ "$result" = ok ] || failed=1
    printf '%-6s | %s | %s | %s | %d s | %s\n' "$target" "$(compiler "$target")" "$(tests "$target")" \
        "$(sed -n 's/^digest //p' "$out/$target.digest")" $(($(date +%s) - start)) "$result" >>"$out/table"
done

printf '\ntarget | compiler | tests that passed | digest | time | result\n'
cat "$out/table"
exit $failed
