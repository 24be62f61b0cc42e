#!/bin/sh
# Lets gdb print values of a program that is linked with the installed shared library. Exits with 77 where gdb is missing or
# may not run programs.
#
#     gdb.sh SOURCE_DIR WORK_DIR CC PREFIX
set -eu

source=$1 work=$2 cc=$3 prefix=$4
command -v gdb >/dev/null || { echo "skipped: there is no gdb; scripts/setup dist installs it"; exit 77; }
gdb -nx -batch -ex 'python 1' 2>&1 | grep -q . && { echo "skipped: this gdb has no Python"; exit 77; }
gdb -nx -batch -ex run true 2>&1 | grep -q 'exited normally' || { echo "skipped: gdb may not run programs"; exit 77; }
rm -rf "$work"
mkdir -p "$work"

PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
"$cc" -g -O0 $(pkg-config --cflags covey) "$source/test/install/gdb/main.c" $(pkg-config --libs covey) \
    -Wl,-rpath,"$prefix/lib" -o "$work/main"

# The tree was moved after the installation: gdb finds scripts by the path that the library has now.
script=$(find "$prefix/share/gdb/auto-load" -name 'libcovey.so.*-gdb.py')
folder=$(cd "$prefix/lib" && pwd -P)
mkdir -p "$work/auto-load$folder"
cp "$script" "$work/auto-load$folder/"

look() { # OPTION...
    gdb -nx -batch "$@" -ex 'set width 0' -ex 'set print pretty off' -ex 'break stop_for_gdb' -ex run \
        -ex 'print e' -ex 'print none' -ex 'print *world' -ex 'print *positions' -ex 'print *healths' \
        -ex 'print *seats' -ex 'print view' -ex 'print covey_type_Position' -ex 'set $covey_world = world' \
        -ex 'print e' -ex 'print gone' -ex 'covey world 12' "$work/main" 2>&1 | sed -n '/^\$1 = /,$p'
}

look -iex "set auto-load scripts-directory $work/auto-load" -iex "set auto-load safe-path $work/auto-load" \
    >"$work/auto-load.txt"
diff "$source/test/install/gdb/expected.txt" "$work/auto-load.txt"

look -ex "source $prefix/share/covey/covey-gdb.py" >"$work/source.txt"
diff "$source/test/install/gdb/expected.txt" "$work/source.txt"

gdb -nx -batch -ex "set \$file = \"$prefix/share/covey/covey.natvis\"" -ex 'break stop_for_gdb' -ex run \
    -ex "source $source/test/install/gdb/natvis.py" "$work/main" 2>&1 | tee "$work/natvis.txt"
grep -q '^natvis: ' "$work/natvis.txt"
