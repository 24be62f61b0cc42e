#!/bin/sh
# Builds the tests for each of four targets and runs them: gcc, clang, 32 bits, and a big-endian machine under qemu.
#
#     test/portable/run.sh [JOBS]
#
# Fails when a test fails, or when the digests (test/portable/digest.c) are not the same everywhere. Ends with a table;
# all that was said before is in build/portable/<target>.log.
set -u
cd "$(dirname "$0")/../.."

jobs=${1:-1}
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
    cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "build/portable-$1/CMakeCache.txt")
    "${cc:-false}" --version | head -n 1
}

# What the programs say of their tests, added up, and how many programs there were.
tests() {
    awk '/^[0-9]+: tests: / { passed += $3; skipped += $5; failed += $7 }
         /tests failed out of/ { programs = $NF }
         END { printf "%d in %d programs, %d skipped", passed, programs, skipped }' "$out/$1.log"
}

for target in gcc clang m32 s390x; do
    echo "==== $target: $out/$target.log"
    start=$(date +%s)
    result=ok
    check "$target" >"$out/$target.log" 2>&1 || result=FAILED
    sed -n 's/^[0-9]*: \(program .*\)/\1/p; s/^[0-9]*: \(digest .*\)/\1/p' "$out/$target.log" >"$out/$target.digest"
    [ $result = ok ] || grep -E 'error:|^[0-9]+: .*\.(c|cpp|h):[0-9]+:|^\*\*\*|^	 *[0-9]+ - ' "$out/$target.log"
    if ! cmp -s "$out/gcc.digest" "$out/$target.digest" || ! [ -s "$out/$target.digest" ]; then
        result="$result, ANOTHER DIGEST"
        diff "$out/gcc.digest" "$out/$target.digest"
    fi
    [ "$result" = ok ] || failed=1
    printf '%-6s | %s | %s | %s | %d s | %s\n' "$target" "$(compiler "$target")" "$(tests "$target")" \
        "$(sed -n 's/^digest //p' "$out/$target.digest")" $(($(date +%s) - start)) "$result" >>"$out/table"
done

printf '\ntarget | compiler | tests that passed | digest | time | result\n'
cat "$out/table"
exit $failed
