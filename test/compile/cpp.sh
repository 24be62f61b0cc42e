#!/bin/sh
# Compiles the tests of the C++ headers, without running them:
#
#     cpp.sh standards CXX SOURCE_DIR    in C++17, 20 and 23, with strict warnings
#     cpp.sh bare CXX SOURCE_DIR         without exceptions and run-time type information
#     cpp.sh windows CXX SOURCE_DIR      for Windows, with mingw; 77 where CXX is missing
#     cpp.sh microsoft CXX SOURCE_DIR    as clang-cl parses templates, with a library that it can compile; 77 unless CXX
#                                        is clang
set -eu

form=$1 cxx=$2 source=$3
strict="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

skip() {
    echo "skipped: $*"
    exit 77
}

compile() { # OPTION... -- NAME...
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    for name; do
        echo "$cxx$options test_cpp_$name.cpp"
        "$cxx" $options $strict -I "$source/include" -fsyntax-only "$source/test/test_cpp_$name.cpp"
    done
}

all="world views lookup schedule ported"
case $form in
standards)
    for standard in 17 20 2b; do
        if echo | "$cxx" -std=c++$standard -E -x c++ - >/dev/null 2>&1; then compile -std=c++$standard -- $all
        else echo "$cxx does not know -std=c++$standard: skipped"; fi
    done
    ;;
bare)
    for standard in 17 20; do compile -std=c++$standard -fno-exceptions -fno-rtti -- $all; done
    ;;
windows)
    command -v "$cxx" >/dev/null || skip "$cxx is missing, which scripts/setup dist installs"
    for standard in 17 20; do compile -std=c++$standard -- $all; done
    ;;
microsoft)
    "$cxx" --version 2>/dev/null | grep -q clang || skip "$cxx is not clang"
    compile -std=c++17 -fms-extensions -fdelayed-template-parsing -- $all
    compile -std=c++17 -fms-extensions -fms-compatibility -fms-compatibility-version=19.30 -Wno-#warnings -- world views
    ;;
*)
    echo "unknown form $form"
    exit 2
    ;;
esac
