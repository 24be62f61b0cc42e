#!/bin/sh
# Follows docs/install.md literally: writes the program and the CMakeLists.txt of each block and runs the
# commands, one section after the other.
#
#     guide.sh SOURCE_DIR WORK_DIR DEB_DIR
#
# Nothing is fetched and nothing is installed outside of WORK_DIR: FetchContent takes SOURCE_DIR, HOME is in WORK_DIR, and
# the packages are those in DEB_DIR, which are unpacked there. Without such packages that block is left out.
set -eu

source=$1 work=$2 debs=$3
rm -rf "$work"
mkdir -p "$work/home" "$work/hello" "$work/blocks"
ln -s "$source" "$work/covey"
HOME=$work/home
export HOME
cd "$work/hello"

# blocks/NUMBER.LANGUAGE, in the order of the page.
awk -v to="$work/blocks/" '
    /^```[a-z]/ { file = sprintf("%s%02d.%s", to, ++count, substr($0, 4)); next }
    /^```$/ { file = "" }
    file { print >file }' "$source/docs/install.md"

cat >"$work/stand_ins.sh" <<EOT
# This tree, instead of a clone.
cmake() {
    case \$1\$2 in
    -S.) command cmake "\$@" -DFETCHCONTENT_SOURCE_DIR_COVEY="$source" ;;
    *) command cmake "\$@" ;;
    esac
}
# The packages of another test, unpacked.
make() {
    case \$* in
    *deb) mkdir -p "$work/root" && for deb in "$debs"/*.deb; do dpkg-deb -x "\$deb" "$work/root"; done ;;
    *) command make "\$@" ;;
    esac
}
sudo() {
    libdir=\$(dirname "\$(find "$work/root/usr/lib" -name libcovey.so)")
    PKG_CONFIG_PATH=\$libdir/pkgconfig LD_LIBRARY_PATH=\$libdir
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
}
EOT

ran=0 said=0
for block in "$work"/blocks/*; do
    case $block in
    *.c) cp "$block" hello.c ;;
    *.cmake)
        cp "$block" CMakeLists.txt
        rm -rf build/CMakeCache.txt build/CMakeFiles
        ;;
    *.sh)
        case $(cat "$block") in
        *sudo*) ls "$debs"/*.deb >/dev/null 2>&1 || { echo "==== left out: there are no packages"; continue; } ;;
        esac
        echo "==== $block"
        cat "$block"
        cat "$work/stand_ins.sh" "$block" >"$work/run.sh"
        rm -f hello
        sh -eux "$work/run.sh" >"$work/output.txt" 2>"$work/errors.txt" || { cat "$work/output.txt" "$work/errors.txt"; exit 1; }
        ran=$((ran + 1))
        if grep -qx 'hello from 1, 2' "$work/output.txt"; then said=$((said + 1)); fi
        ;;
    esac
done
echo "$ran blocks of commands, $said of which end with the program"
[ "$ran" -ge 5 ] && [ "$said" -eq $((ran - 1)) ] # one only installs
