#!/bin/sh
# Builds the library and its tests with tcc, and runs them; for test/portable/run.sh.
#
#     test/portable/tcc.sh WORK_DIR [all|digest]
#
# CMake is not asked, because tcc 0.9.27 cannot compile everything: it has no <stdatomic.h>, so no schedules, as in the
# library in two files; and it takes the initializer of an array of structures for a list of their members (`index too
# large`). Tests for which it says so are left out and counted. Prints what ctest --verbose prints.
set -u

work=$1
what=${2-all}
cd "$(dirname "$0")/../.."
rm -rf "$work"
mkdir -p "$work"

flags="-std=c11 -DCOVEY_ASSERT_LEVEL=1 -Iinclude -Isrc -Itest/support -Itest/cmocka"
uses_schedules='<covey/schedule.h>|"scheduled.h"'
not_for_tcc="index too large|initializer element is not constant"
programs=0 failed=0 left_out=0
COVEY_TEST_SCALE=${COVEY_TEST_SCALE-1}
export COVEY_TEST_SCALE

compile() { # SOURCE OBJECT
    tcc $flags "-DCOVEY_GOLDEN=\"$PWD/test/golden\"" -c "$1" -o "$2" 2>"$work/error"
}

# Everything but tests and schedules becomes one library.
for source in src/*/*.c test/support/*.c test/cmocka/cmocka.c bench/memory_model.c; do
    case $source in src/schedule/* | */scheduled.c | */steps.c) continue ;; esac
    compile "$source" "$work/$(basename "$source" .c).o" || { cat "$work/error"; exit 1; }
done
ar -rcs "$work/libcovey.a" "$work"/*.o
compile test/query/groups.c "$work/groups.o" || { cat "$work/error"; exit 1; }

run() { # SOURCE NAME
    if grep -qE "$uses_schedules" "$1"; then left_out=$((left_out + 1)) && return; fi
    case $2 in test_group*) more=$work/groups.o ;; *) more= ;; esac
    if ! compile "$1" "$work/$2.o"; then
        if grep -qE "$not_for_tcc" "$work/error"; then left_out=$((left_out + 1)) && return; fi
        cat "$work/error"
    fi
    programs=$((programs + 1))
    if tcc "$work/$2.o" $more -o "$work/$2" -L"$work" -lcovey -lpthread -lm && (cd "$work" && "./$2" >"$2.txt" 2>&1); then :
    else
        failed=$((failed + 1))
        printf '\t%d - %s (Failed)\n' $programs "$2"
    fi
    sed "s/^/$programs: /" "$work/$2.txt"
}

run test/portable/digest.c digest
if [ "$what" = all ]; then
    for source in test/*/test_*.c test/test_*.c; do
        case $source in */test_guard.c | */test_level_0.c | */test_steps.c | test/dso/* | */test_cpp.c) continue ;; esac
        run "$source" "$(basename "$source" .c)"
    done
fi
echo "$left_out left out"
echo "$failed tests failed out of $programs"
[ $failed -eq 0 ]
