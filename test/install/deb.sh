#!/bin/sh
# Makes the packages of Debian, unpacks them into a folder, and compiles and runs a program with them. Exits with 77 without
# dpkg.
#
#     deb.sh SOURCE_DIR WORK_DIR CC
set -eu

source=$1 work=$2 cc=$3
for program in dpkg-deb dpkg-shlibdeps gzip; do
    command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
rm -rf "$work"
mkdir -p "$work"
root=$work/root

# As `make deb` does.
cd "$source"
cmake --preset deb -B "$work/build" -DCMAKE_C_COMPILER="$cc"
cmake --build "$work/build"
cpack --config "$work/build/CPackConfig.cmake" -B "$work"
rm -rf "$work/_CPack_Packages"
cd "$work"

packages=$(for deb in *.deb; do dpkg-deb -f "$deb" Package; done | tr '\n' ' ')
echo "packages: $packages"
case $packages in "covey-snap libcovey-dev libcovey"[0-9]*) ;; *) echo "other packages than expected"; exit 1 ;; esac
for deb in *.deb; do dpkg-deb -x "$deb" "$root"; done

# The dependencies between the packages.
library=$(dpkg-deb -f libcovey[0-9]*.deb Package)
version=$(dpkg-deb -f libcovey[0-9]*.deb Version)
for deb in libcovey-dev*.deb covey-snap*.deb; do
    dpkg-deb -f "$deb" Depends | grep -F "$library (= $version)" || { echo "$deb does not depend on $library"; exit 1; }
done
dpkg-deb -I libcovey[0-9]*.deb shlibs | grep "^libcovey .* $library "
[ "$(dpkg-deb -c libcovey[0-9]*.deb | grep -c '\.so$')" -eq 0 ] || { echo "$library has the link of libcovey-dev"; exit 1; }

libdir=$(dirname "$(find "$root/usr/lib" -name libcovey.so)")
PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
export PKG_CONFIG_PATH LD_LIBRARY_PATH
"$cc" $(pkg-config --cflags covey) "$source/test/install/consumer/main.c" \
    $(pkg-config --libs covey) -o consumer
./consumer
ldd ./consumer | grep -F "$root"
"$root/usr/bin/covey-snap" --version
[ -e "$root/usr/share/man/man1/covey-snap.1.gz" ]

# Errors of lintian count; it is no part of what scripts/setup installs.
if command -v lintian >/dev/null; then lintian --allow-root --fail-on error ./*.deb; fi
