#!/bin/sh
# Builds a clean clone twice and compares what would be released, byte for byte: the static and the shared library, the
# two files of `make dist` with their checksums, and the packages of Debian. The second build is later, in a folder with
# another name and depth, of sources with other times, in another time zone and with other permissions.
#
#     reproducible.sh CLONE_DIR WORK_DIR CC
#
# Without dpkg, the packages are left out. They are made without the page of the inspector, which npm builds.
set -eu

clone=$1 work=$2
CC=$3
export CC
SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH
rm -rf "$work"

copy() { # FOLDER
    mkdir -p "$1"
    git -C "$clone" ls-files | tar -C "$clone" -cf - -T - | tar -C "$1" -xf -
}

has_deb=yes
for program in dpkg-deb dpkg-shlibdeps gzip file; do
    command -v $program >/dev/null || { echo "without packages: there is no $program"; has_deb=; }
done
mpi=ON
command -v mpicc.openmpi >/dev/null || mpi=OFF

# The flags of the environment, and a compiler that takes results from a cache, would hide a difference.
unset CFLAGS LDFLAGS CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER || true

build() { # FOLDER, where to put what is released
    mkdir -p "$2"
    cd "$1"
    cmake --preset release -DCOVEY_EXAMPLES=OFF -DCOVEY_TOOLS=OFF -DCOVEY_INSPECT=OFF
    cmake --build build/release --target covey
    cp build/release/libcovey.a "$2"
    cmake --preset deb -DCOVEY_MPI=$mpi -DCOVEY_INSPECT=AUTO -DCOVEY_INSPECT_NPM=OFF
    cmake --build build/deb
    cp build/deb/libcovey.so.*.*.* "$2"
    [ -z "$has_deb" ] || (umask 022; cpack --config build/deb/CPackConfig.cmake -B build/deb) # as make deb does
    [ -z "$has_deb" ] || cp build/deb/*.deb "$2"
    make dist
    cp build/dist/* "$2"
}

copy "$work/one"
(umask 022; build "$work/one" "$work/first")
copy "$work/another/folder"
find "$work/another" -type f -exec touch -d 2001-02-03 {} +
(umask 027; TZ=Asia/Tokyo; export TZ; build "$work/another/folder" "$work/second")

cd "$work/first"
sha256sum ./*
[ -z "$has_deb" ] || ls ./*.deb >/dev/null
ls libcovey.a libcovey.so.* covey.h covey.c SHA256SUMS >/dev/null
sha256sum --check SHA256SUMS
cd "$work"
diff -r first second && rm -rf one another
