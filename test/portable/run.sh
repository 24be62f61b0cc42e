#!/usr/bin/env bash
# Builds and runs the tests for several compilers and machines, as many at a time as there are jobs:
#
#     test/portable/run.sh JOBS [TARGET[:digest]...]
#
# Without targets: all whose tools are installed. With `:digest`, a target builds and runs only the digests. A target that
# takes more than LIMIT=3600 seconds is ended. FLAGS has further arguments for CMake.
#
# Fails when a test fails, when a target that was asked for has no tools, or when the digests (test/portable/digest.c and
# scheduled.c) are not the same everywhere. Ends with a table, build/portable/table; the output of each target is in
# build/portable/<target>.log.
set -u
cd "$(dirname "$0")/../.."

# The slow ones first, so that none runs alone at the end.
known="s390x mingw armhf aarch64 gcc clang clang-19 m32 musl tcc"
out=build/portable
limit=${LIMIT-3600}

# The programs that a target needs.
tools() {
    case $1 in
    gcc | m32) echo gcc g++ ;;
    clang) echo clang clang++ ;;
    clang-19) echo clang-19 clang++-19 ;;
    musl) echo musl-gcc ;;
    tcc) echo tcc ;;
    aarch64) echo aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64-static ;;
    armhf) echo arm-linux-gnueabihf-gcc arm-linux-gnueabihf-g++ qemu-arm-static ;;
    s390x) echo s390x-linux-gnu-gcc s390x-linux-gnu-g++ qemu-s390x-static ;;
    mingw) echo x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-g++-posix wine wineserver ;;
    *) echo "no-target-$1" ;;
    esac
}

# The first that is missing, or nothing.
missing() {
    for tool in $(tools "$1"); do
        command -v "$tool" >/dev/null || { echo "$tool"; return; }
    done
    [ "$1" != m32 ] || echo '#include <stdlib.h>' | gcc -m32 -E - >/dev/null 2>&1 || echo "gcc -m32"
}

# One server for all programs of wine: starting one for each takes longer than most tests.
serve_wine() {
    export WINEPREFIX=$PWD/build/portable-mingw/wine WINEDEBUG=-all
    mkdir -p "$WINEPREFIX"
    trap 'wineserver -k' EXIT
    wine wineboot -i >/dev/null 2>&1
    wineserver -p
}

# test_target TARGET all|digest JOBS: configures, builds and tests it. This is a session of its own.
test_target() {
    [ "$1" = tcc ] && version=-v || version=--version
    echo "compiler: $($(tools "$1" | cut -d ' ' -f 1) $version | head -n 1)"
    [ "$1" != tcc ] || exec test/portable/tcc.sh build/portable-tcc "$2"
    build=() tests=()
    [ "$2" = all ] || build=(--target digest digest_of_systems) tests=(-R '^digest')
    cmake --preset "portable-$1" ${FLAGS-} &&
        cmake --build "build/portable-$1" -j "$3" "${build[@]}" -- --no-print-directory || exit
    [ "$1" != mingw ] || serve_wine
    ctest --preset "portable-$1" -j "$3" "${tests[@]}" --verbose
}

# The error messages of compilers, tests and ctest. One program fails on purpose.
complaints() {
    grep -aE 'error:|^[0-9]+: [^ ]*\.(c|cpp|h):[0-9]+:|^	 *[0-9]+ - ' "$1" | grep -v test_cmocka.c
}

# Of a log: "passed in programs | skipped".
counts() {
    awk '/^[0-9]+: tests: / { passed += $3; skipped += $5 }
         /tests failed out of/ { programs = $NF }
         / left out$/ { left = ", " $1 " programs left out" }
         END { printf "%d in %d programs | %d%s", passed, programs, skipped, left }' "$1"
}

# What test/portable/digest.c and scheduled.c print, in one order.
digests() { sed -n -E 's/^[0-9]+: ((program|digest) .*)/\1/p' "$1" | sort; }

# compare WHOLE TARGET: shows what is not the same. Without schedules there is only one of both digests.
compare() {
    if [ "$2" = tcc ]; then grep -v ' systems' "$out/$1.digest"; else cat "$out/$1.digest"; fi | diff - "$out/$2.digest"
}

# run TARGET WHAT JOBS: tests it and writes its row.
run() {
    log=$out/$1.log start=$SECONDS result=ok
    setsid timeout -k 10 "$limit" "$BASH" "$0" --target "$1" "$2" "$3" >"$log" 2>&1 &
    session=$!
    trap 'kill $session; exit 1' TERM
    wait $session
    status=$?
    case $status in
    0) ;;
    124 | 137) result="FAILED: more than $limit s" ;;
    *) result=FAILED ;;
    esac
    digests "$log" >"$out/$1.digest"
    [ -s "$out/$1.digest" ] || result="$result, NO DIGEST"
    digest=$(sed -n 's/^digest //p' "$out/$1.digest")
    compiler=$(sed -n 's/^compiler: //p' "$log")
    echo "$1 | $compiler | $(counts "$log") | $digest | $((SECONDS - start)) | $result" >"$out/$1.row"
    echo "==== $1: $result, $((SECONDS - start)) s; $log"
    [ "$result" = ok ] || complaints "$log"
}

if [ "${1-}" = --target ]; then
    shift
    test_target "$@"
    exit
fi

jobs=$1
shift
rm -rf "$out"
mkdir -p "$out"
asked=("$@")
[ $# -gt 0 ] || asked=($known)

chosen=()
for target in "${asked[@]}"; do
    name=${target%:*}
    lacks=$(missing "$name")
    if [ -z "$lacks" ]; then
        chosen+=("$target")
    elif [ $# -gt 0 ]; then
        echo "$name | | | | | | FAILED: there is no $lacks" >"$out/$name.row"
    else
        echo "$name | | | | | | not run: there is no $lacks" >"$out/$name.row"
    fi
done

trap 'kill $(jobs -p); exit 1' INT TERM # the sessions end, too

# As many targets at a time as there are jobs; each has what is left over.
count=${#chosen[@]} running=0
at_once=$((count > 0 && count < jobs ? count : jobs))
for target in "${chosen[@]}"; do
    case $target in *:digest) what=digest ;; *) what=all ;; esac
    if [ "$running" -eq "$at_once" ]; then wait -n; else running=$((running + 1)); fi
    run "${target%:*}" "$what" $(((jobs + at_once - 1) / at_once)) &
done
wait

# The first target that has all digests is what the others are compared with.
whole=
for target in "${chosen[@]}"; do
    name=${target%:*}
    [ -z "$whole" ] && [ "$name" != tcc ] && [ -s "$out/$name.digest" ] && whole=$name
done
for target in "${chosen[@]}"; do
    name=${target%:*}
    [ -z "$whole" ] || [ ! -s "$out/$name.digest" ] || compare "$whole" "$name" ||
        sed -i 's/$/, ANOTHER DIGEST/' "$out/$name.row"
done

{
    echo "target | compiler | tests that passed | skipped | digest | seconds | result"
    for target in "${asked[@]}"; do cat "$out/${target%:*}.row"; done
} >"$out/table"
echo
cat "$out/table"
! grep -qE 'FAILED|DIGEST' "$out/table"
