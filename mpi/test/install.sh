#!/bin/sh
# Installs this build and uses it: builds the first programs outside the tree, in C and C++, and runs them on 2 ranks.
# Both headers compile on their own, with gcc and clang, in C++17 and C++20, with strict warnings.
#
#     install.sh SOURCE BUILD WORK CC CXX FLAGS MPICC MPIRUN
set -eu

source=$1 build=$2 work=$3 cc=$4 cxx=$5 flags=$6 mpicc=$7 MPIRUN=$8
. "$source/examples/mpi/mpirun.sh"
prefix=$work/prefix
rm -rf "$work"
mkdir -p "$work"
for component in library dev mpi mpi_dev; do
    cmake --install "$build" --prefix "$work/staged" --component $component
done
mv "$work/staged" "$prefix" # the installed files must not depend on their path
if grep -rlF -e "$work" -e "$source" "$prefix"/lib*/cmake "$prefix"/lib*/pkgconfig; then
    echo "the files above contain paths of this machine"
    exit 1
fi

cmake -S "$source/mpi/test/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
    -DFIRST="$source/examples/mpi/first" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
    -DMPI_C_COMPILER="$mpicc" -DMPI_CXX_COMPILER=
cmake --build "$work/consumer"
for program in first_c first_cpp; do
    ranks 2 "$work/consumer/$program" | grep "rank 0 has the walker of rank 1"
done

# By covey-mpi.pc, with the MPI that it names or with mpicc.
PKG_CONFIG_PATH=$(echo "$prefix"/lib*/pkgconfig)
export PKG_CONFIG_PATH
case $(pkg-config --print-requires covey-mpi) in *ompi-c* | *mpich*) compiler=$cc ;; *) compiler=$mpicc ;; esac
"$compiler" $flags $(pkg-config --cflags covey-mpi) "$source/examples/mpi/first.c" $(pkg-config --libs covey-mpi) \
    -o "$work/first"
ranks 2 "$work/first" | grep "rank 0 has the walker of rank 1"

includes=$("$mpicc" -show | tr ' ' '\n' | sed -n 's/^-I/-isystem /p')
cd "$work"
for compiler in g++ clang++; do
    if ! command -v $compiler >/dev/null; then
        echo "there is no $compiler: skipped"
        continue
    fi
    for header in mpi.h mpi.hpp; do
        echo "#include <covey/$header>" >alone.cpp
        for std in c++17 c++20; do
            echo "$compiler -std=$std <covey/$header>"
            $compiler -std=$std -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror -I "$prefix/include" \
                $includes -fsyntax-only alone.cpp
        done
    done
done
