#!/bin/sh
# One step of the tests of packaging/; see CMakeLists.txt. Exits with 77, and says so, where a program is not
# installed: scripts/setup dist installs it.
#
#     packaging.sh meson|meson_wrap|vcpkg|conan SOURCE_DIR WORK_DIR CC
set -eu

step=$1 source=$2 work=$3/$1 cc=$4
consumer=$source/test/install/consumer
CC=$cc
export CC

need() {
    command -v "$1" >/dev/null || { echo "skipped: there is no $1; scripts/setup dist installs it"; exit 77; }
}

rm -rf "$work"
mkdir -p "$work"

case $step in
meson)
    need meson
    cd "$work"
    mkdir page
    echo "<title>The page of a release</title>" >page/index.html
    meson setup build "$source" --buildtype plain --prefix "$work/prefix" --libdir lib -Dwerror=true \
        -Ddefault_library=shared -Dinspect_page="$work/page"
    meson compile -C build
    meson test -C build
    meson install -C build
    # Its .pc files are used like those of CMake.
    PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
    LD_LIBRARY_PATH=$work/prefix/lib
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
    "$cc" $(pkg-config --cflags covey) "$consumer/main.c" $(pkg-config --libs covey) -o consumer
    ./consumer
    pkg-config --exists libmicrohttpd jansson || exit 0
    "$cc" $(pkg-config --cflags covey-inspect) "$consumer/inspect.c" $(pkg-config --libs covey-inspect) -o inspect
    ./inspect
    grep -q "The page of a release" prefix/lib/libcovey-inspect.so
    ;;
meson_wrap)
    # A project with the wrap; instead of a clone, which needs a network, there is the tree.
    need meson
    cd "$work"
    mkdir subprojects
    cp "$source/packaging/meson/covey.wrap" subprojects/
    ln -s "$source" subprojects/covey
    cp "$consumer/main.c" .
    echo "project('consumer', 'c', default_options: ['c_std=c11'])
test('consumer', executable('consumer', 'main.c', dependencies: dependency('covey')))" >meson.build
    meson setup build --buildtype plain --wrap-mode=nodownload --force-fallback-for=covey
    meson compile -C build
    meson test -C build
    ;;
vcpkg)
    cmake -DPORT_DIR="$source/packaging/vcpkg/ports/covey" -DWORK_DIR="$work" -DCC="$cc" \
        -P "$source/test/install/vcpkg.cmake"
    cmake -S "$consumer" -B "$work/consumer" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$work/package"
    cmake --build "$work/consumer"
    "$work/consumer/consumer"
    ! pkg-config --exists libmicrohttpd jansson || "$work/consumer/inspect"
    ;;
conan)
    need python3
    PYTHONDONTWRITEBYTECODE=1 python3 "$source/test/install/conan.py" "$source/packaging/conan" "$work"
    ;;
*)
    echo "unknown step $step"
    exit 2
    ;;
esac
