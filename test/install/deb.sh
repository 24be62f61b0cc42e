#!/bin/sh
# Makes the packages of Debian in a clean clone, unpacks them into a folder, and uses them there: programs with the library,
# the inspector and MPI, and covey-snap. Exits with 77 without dpkg.
#
#     deb.sh SOURCE_DIR CLONE_DIR WORK_DIR CC
#
# Without OpenMPI or npm, the packages are made without covey::mpi and the page: not by `make deb`, which would install them.
set -eu

source=$1 clone=$2 work=$3 cc=$4
for program in dpkg-deb dpkg-shlibdeps gzip file; do
    command -v $program >/dev/null || { echo "skipped: there is no $program; scripts/setup deb installs it"; exit 77; }
done
rm -rf "$work"
mkdir -p "$work"
root=$work/root
CC=$cc
export CC

has_mpi=yes has_page=yes
command -v mpicc.openmpi >/dev/null || has_mpi=
command -v npm >/dev/null || has_page=

cd "$clone"
if [ -n "$has_mpi" ] && [ -n "$has_page" ]; then
    make deb
else
    echo "OpenMPI or npm is missing: not make deb itself"
    cmake --preset deb ${has_mpi:--DCOVEY_MPI=OFF}
    cmake --build build/deb
    cpack --config build/deb/CPackConfig.cmake -B build/deb
fi
if [ -n "$has_page" ] && [ ! -e inspect/page/dist/index.html ]; then
    echo "npm could not get its packages: without the page"
    has_page=
fi
cd build/deb

soversion=$(dpkg-deb -f libcovey[0-9]*.deb Package | sed 's/^libcovey//')
expected="covey-snap libcovey-dev libcovey-inspect-dev libcovey-inspect$soversion"
expected="$expected ${has_mpi:+libcovey-mpi-dev libcovey-mpi$soversion }libcovey$soversion"
packages=$(for deb in *.deb; do dpkg-deb -f "$deb" Package; done | xargs)
[ "$packages" = "$expected" ] || { echo "packages: $packages, expected: $expected"; exit 1; }
for deb in *.deb; do dpkg-deb -x "$deb" "$root"; done

# The dependencies between the packages: the same version.
depends() { # PACKAGE ON...
    package=$1
    shift
    for on; do
        dpkg-deb -f "$package"_*.deb Depends | tr ',' '\n' | grep -E "^ *$on( |\$)" ||
            { echo "$package does not depend on $on"; exit 1; }
    done
}
same="\(= $(dpkg-deb -f libcovey${soversion}_*.deb Version)\)"
depends libcovey-dev "libcovey$soversion $same"
depends libcovey-inspect$soversion "libcovey$soversion $same" libjansson4 "libmicrohttpd[0-9a-z]*"
depends libcovey-inspect-dev "libcovey-inspect$soversion $same" "libcovey-dev $same"
depends covey-snap "libcovey$soversion $same" "libcovey-inspect$soversion $same"
if [ -n "$has_mpi" ]; then
    depends libcovey-mpi$soversion "libcovey$soversion $same" "libopenmpi[0-9a-z]*"
    depends libcovey-mpi-dev "libcovey-mpi$soversion $same" "libcovey-dev $same" libopenmpi-dev
fi
for deb in libcovey*"${soversion}"_*.deb; do
    name=${deb%"${soversion}"_*}
    dpkg-deb -I "$deb" shlibs | grep "^$name $soversion $name$soversion "
    [ "$(dpkg-deb -c "$deb" | grep -c '\.so$')" -eq 0 ] || { echo "$deb has the link of the package -dev"; exit 1; }
done

# Programs, by pkg-config and by CMake. They are linked with the libraries of the packages.
libdir=$(dirname "$(find "$root/usr/lib" -name libcovey.so)")
PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
export PKG_CONFIG_PATH LD_LIBRARY_PATH
consumer=$source/test/install/consumer
program() { # NAME PKG_CONFIG_MODULE FILE
    "$cc" $(pkg-config --cflags "$2") "$3" $(pkg-config --libs "$2") -o "$work/$1"
    ldd "$work/$1" | grep -F "$root"
}
program main covey "$consumer/main.c"
"$work/main"
program inspect covey-inspect "$consumer/inspect.c"
"$work/inspect"
if [ -n "$has_mpi" ]; then
    . "$source/examples/mpi/mpirun.sh"
    program first covey-mpi "$source/examples/mpi/first.c"
    ranks 2 "$work/first" | grep "rank 0 has the walker of rank 1"
fi
cmake -S "$consumer" -B "$work/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$root/usr" \
    -DMPI_C_COMPILER=mpicc.openmpi -DCOMPONENTS="inspect${has_mpi:+;mpi}"
cmake --build "$work/cmake"
"$work/cmake/inspect"

# The tool: its manual, and an image in a browser.
snap=$root/usr/bin/covey-snap
"$snap" --version
[ -e "$root/usr/share/man/man1/covey-snap.1.gz" ]
"$snap" serve "$source/test/golden/format2_blocks.covey" >"$work/address" &
served=$!
trap 'kill $served 2>/dev/null || true' EXIT
tries=0
while [ ! -s "$work/address" ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
grep -E '^http://127\.0\.0\.1:[0-9]+/#token=' "$work/address"
if [ -n "$has_page" ] && command -v python3 >/dev/null; then
    python3 -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1].split("#")[0] + "page.js").headers["Content-Type"])' "$(cat "$work/address")"
fi
kill $served

# Errors of lintian count; it is no part of what scripts/setup installs.
if command -v lintian >/dev/null; then lintian --allow-root --fail-on error ./*.deb; fi
