#!/bin/sh
# Compiles programs of two files, both of which include the header, in each standard of C and in C++, with strict
# warnings, and runs them.
#
#     header.sh CC CXX PREFIX WORK_DIR
set -eu

cc=$1 cxx=$2 prefix=$3 work=$4
here=$(dirname "$0")
strict="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror"
mkdir -p "$work"
cd "$work"

compile() { # OBJECT COMPILER OPTION... SOURCE
    object=$1
    shift
    echo "$*"
    "$@" $strict -I "$prefix/include" -c -o "$object"
}

alone() { # COMPILER OPTION... : each header of C in a source of its own
    for header in "$prefix"/include/covey/*.h; do
        echo "#include <covey/${header##*/}>" >alone.c
        compile alone.o "$@" alone.c
    done
}

for std in c11 c17 c2x; do
    if ! "$cc" -std=$std -E -x c /dev/null >/dev/null 2>&1; then
        echo "$cc does not know -std=$std: skipped"
        continue
    fi
    compile define_$std.o "$cc" -std=$std "$here/define.c"
    compile use_$std.o "$cc" -std=$std "$here/use.c"
    "$cc" define_$std.o use_$std.o "$prefix/lib/libcovey.a" -o $std
    ./$std
    alone "$cc" -std=$std
done

# In C++ both files only use the component that the C file defines.
compile use_cpp.o "$cxx" -std=c++17 "$here/use.cpp"
compile use_too_cpp.o "$cxx" -std=c++17 "$here/use_too.cpp"
"$cxx" define_c11.o use_cpp.o use_too_cpp.o "$prefix/lib/libcovey.a" -o cpp17
./cpp17
compile systems_cpp.o "$cxx" -std=c++17 "$here/systems.cpp"
"$cxx" -pthread define_c11.o systems_cpp.o "$prefix/lib/libcovey.a" -o systems17
./systems17

alone "$cxx" -std=c++17 -x c++
for std in c++17 c++20; do
    for header in "$prefix"/include/covey/*.hpp "$prefix"/include/covey/detail/*.hpp; do
        echo "#include <${header#"$prefix"/include/}>" >alone.cpp
        compile alone_cpp.o "$cxx" -std=$std alone.cpp
    done
done
