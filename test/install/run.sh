#!/bin/sh
# One step of the installation tests; see CMakeLists.txt.
#
#     run.sh install|find_package|pkg_config|add_subdirectory SOURCE_DIR WORK_DIR CC [CMAKE_OPTION...]
set -eu

step=$1 source=$2 work=$3 cc=$4
shift 4
consumer=$source/test/install/consumer
prefix=$work/prefix

configure_and_build() { # SOURCE_DIR BUILD_DIR [CMAKE_OPTION...]
    from=$1 to=$2
    shift 2
    rm -rf "$to"
    cmake -S "$from" -B "$to" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$cc" "$@"
    cmake --build "$to"
}

# find_package refuses this component, and says why.
refuse_component() { # COMPONENT REASON
    rm -rf "$work/refused"
    if cmake -S "$consumer" -B "$work/refused" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS="$1" \
        >"$work/refused.txt" 2>&1; then
        echo "find_package finds the component $1"
        exit 1
    fi
    tr -s ' \n' ' ' <"$work/refused.txt" | grep -F "covey has no component $1: $2" || { cat "$work/refused.txt"; exit 1; }
}

# All symbols of the library begin with covey_; the version of symbols (A) is not one. Further arguments are options of nm.
check_symbols() {
    library=$1
    shift
    [ -e "$library" ] || return 0
    strangers=$(nm -P -g "$@" "$library" | awk '$2 ~ /^[B-TV-Z]$/ && $1 !~ /^_?covey_/ { print $1 }')
    if [ -n "$strangers" ]; then
        echo "$library defines symbols that do not begin with covey_:" $strangers
        exit 1
    fi
}

case $step in
install)
    configure_and_build "$source" "$work/build" -DCOVEY_TESTS=OFF -DCOVEY_EXAMPLES=OFF -DCMAKE_INSTALL_LIBDIR=lib "$@"
    # Moved after the installation: no installed file may depend on the old place.
    rm -rf "$work/staged" "$prefix"
    cmake --install "$work/build" --prefix "$work/staged"
    mv "$work/staged" "$prefix"
    check_symbols "$prefix/lib/libcovey.a"
    check_symbols "$prefix/lib/libcovey.so" -D
    "$prefix/bin/covey-snap" --version
    [ -e "$prefix/share/man/man1/covey-snap.1" ]
    if grep -rlF -e "$work" -e "$source" "$prefix/lib/cmake" "$prefix/lib/pkgconfig"; then
        echo "the files above contain paths of this machine"
        exit 1
    fi
    ;;
find_package)
    configure_and_build "$consumer" "$work/find_package" -DCMAKE_PREFIX_PATH="$prefix" "$@"
    "$work/find_package/consumer"
    if [ -e "$prefix/include/covey/inspect.h" ]; then
        "$work/find_package/inspect"
        configure_and_build "$consumer" "$work/find_package" -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS=inspect "$@"
        "$work/find_package/inspect"
    else
        refuse_component inspect "this library was built without it"
    fi
    refuse_component mpi "this library was built without it"
    refuse_component mpii "there are only inspect and mpi"
    ;;
add_subdirectory)
    configure_and_build "$consumer" "$work/add_subdirectory" -DADD_SUBDIRECTORY="$source" "$@"
    "$work/add_subdirectory/consumer"
    ;;
pkg_config)
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    case "$*" in *EXPECT_CONFIG*) define=-DEXPECT_CONFIG ;; *) define= ;; esac
    libdir=$(pkg-config --variable=libdir covey)
    LD_LIBRARY_PATH=$libdir
    export LD_LIBRARY_PATH
    set -x
    cd "$work"
    "$cc" $define $(pkg-config --cflags covey) "$consumer/main.c" $(pkg-config --libs covey) -o consumer
    ./consumer
    [ -e "$prefix/include/covey/inspect.h" ] || exit 0
    "$cc" $define $(pkg-config --cflags covey-inspect) "$consumer/inspect.c" $(pkg-config --libs covey-inspect) -o inspect
    ./inspect
    ;;
*)
    echo "unknown step $step"
    exit 2
    ;;
esac
