#!/bin/sh
# One step of the tests of the two files that scripts/amalgamate writes; see CMakeLists.txt. Exits with 77, and says so,
# where a compiler is not installed: scripts/setup dist installs it.
#
#     dist.sh make SOURCE_DIR WORK_DIR           writes them to WORK_DIR/files
#     dist.sh gcc|clang SOURCE_DIR WORK_DIR      compiles them without warnings as C11, C17 and C23, and in programs
#     dist.sh tcc|musl|mingw SOURCE_DIR WORK_DIR in programs of other compilers; those of mingw are not run
#     dist.sh digest SOURCE_DIR WORK_DIR CC PREFIX
#                                                the library in two files does what the installed one does
set -eu

step=$1 source=$2 work=$3
shift 3
files=$work/files
consumer=$source/test/install/dist
out=$work/$step

need() {
    command -v "$1" >/dev/null || { echo "skipped: there is no $1; scripts/setup dist installs it"; exit 77; }
}

begin() {
    rm -rf "$out"
    mkdir -p "$out"
    set -x
}

warnings="-Wall -Wextra -Werror"

# A program in C by this compiler, with these options and libraries, is compiled and run.
c_program() { # CC AND OPTIONS [LIBRARIES]
    $1 $warnings -I "$files" "$consumer/main.c" "$files/covey.c" -o "$out/main" -lpthread ${2-}
    "$out/main" "$out/image.covey"
}

# The standards of C, and of C++ for a program in C++ with the same covey.o.
standards() { # CC, CXX
    for standard in c17 c2x; do
        $1 -std=$standard $warnings -c "$files/covey.c" -o "$out/$standard.o"
        $1 -std=$standard $warnings -I "$files" "$consumer/main.c" "$out/$standard.o" -o "$out/$standard" -lpthread
        "$out/$standard" "$out/image.covey"
    done
    $2 -std=c++17 $warnings -I "$files" "$consumer/main.cpp" "$out/c17.o" -o "$out/cpp" -lpthread
    "$out/cpp"
}

case $step in
make)
    rm -rf "$files"
    "$source/scripts/amalgamate" "$files"
    [ "$(cd "$files" && echo *)" = "covey.c covey.h" ] || { echo "$files has other files"; exit 1; }
    if grep -nE '^ *# *include +["<]covey' "$files"/* | grep -v 'covey.c:[0-9]*:#include "covey.h"'; then
        echo "the lines above include what is not there"
        exit 1
    fi
    ;;
gcc)
    need gcc
    begin
    c_program "gcc -std=c11 -O2"
    c_program "gcc -std=gnu11 -DCOVEY_ASSERT_LEVEL=2"
    c_program "gcc -std=c11 -DNDEBUG -DCOVEY_NO_SCHEDULE"
    c_program "gcc -std=c11 -DCOVEY_INDEX_BITS=22 -DCOVEY_GENERATION_BITS=10"
    # What the linker sees begins with covey_.
    gcc -std=c11 -c "$files/covey.c" -o "$out/covey.o"
    [ -z "$(nm -P -g "$out/covey.o" | awk '$2 ~ /^[A-TV-Z]$/ && $1 !~ /^covey_/')" ]
    if pkg-config --exists libzstd; then
        c_program "gcc -std=c11 -DCOVEY_WITH_ZSTD $(pkg-config --cflags libzstd)" "$(pkg-config --libs libzstd)"
    fi
    standards gcc g++
    ;;
clang)
    need clang
    begin
    c_program "clang -std=c11 -O2"
    standards clang clang++
    ;;
tcc)
    need tcc
    begin
    c_program "tcc -std=c11"
    ;;
musl)
    need musl-gcc
    begin
    c_program "musl-gcc -std=c11 -O1 -static"
    ;;
mingw)
    need x86_64-w64-mingw32-gcc
    begin
    x86_64-w64-mingw32-gcc -std=c11 $warnings -I "$files" "$consumer/main.c" "$files/covey.c" -o "$out/main.exe"
    ;;
digest)
    cc=$1 prefix=$2
    begin
    # covey/*.h, as the program asks for them.
    mkdir -p "$out/covey"
    for header in "$source"/include/covey/*.h; do
        echo '#include "../../files/covey.h"' >"$out/covey/$(basename "$header")"
    done
    program="$source/test/portable/digest.c $source/test/support/tools.c -I $source/test/support"
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    "$cc" -O1 $program $(pkg-config --cflags --libs covey) -o "$out/installed"
    "$cc" -O1 $program -I "$out" "$files/covey.c" -o "$out/two_files" -lpthread
    "$out/installed" >"$out/installed.txt"
    "$out/two_files" >"$out/two_files.txt"
    diff "$out/installed.txt" "$out/two_files.txt"
    ;;
*)
    echo "unknown step $step"
    exit 2
    ;;
esac
