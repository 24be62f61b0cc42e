#!/bin/sh
# Follows a document literally, in a clean clone: writes the program and the CMakeLists.txt of each block, and runs the
# commands of each block of sh, one after the other.
#
#     guide.sh install CLONE_DIR WORK_DIR    docs/install.md, in a folder beside the clone
#     guide.sh readme CLONE_DIR WORK_DIR     the section Install of README.md, in the clone, with the first program
#
# A command in the text, outside of a block, must be in one of the blocks. There must be no warning.
# Nothing is fetched and nothing is installed outside of WORK_DIR: git takes the clone for the address in the document, HOME is
# in WORK_DIR, and packages are unpacked there. Blocks whose tools are missing are left out.
set -eu

document=$1 clone=$2 work=$3
rm -rf "$work"
mkdir -p "$work/home" "$work/blocks"

case $document in
install)
    mkdir "$work/hello"
    ln -s "$clone" "$work/covey"
    here=$work/hello
    cp "$clone/docs/install.md" "$work/text.md"
    ;;
readme)
    here=$clone
    # The first program is in another section. A block of cmake would replace the CMakeLists.txt of the clone.
    awk '/^```c$/ { on = 1 } on; /^```$/ { on = 0 }' "$clone/README.md" >"$work/text.md"
    awk '/^## / { on = $0 == "## Install" } on' "$clone/README.md" >>"$work/text.md"
    ;;
esac

# blocks/NUMBER.LANGUAGE, in the order of the document; the rest is text.
awk -v to="$work/blocks/" '
    /^```[a-z]/ { file = sprintf("%s%02d.%s", to, ++count, substr($0, 4)); next }
    /^```$/ { file = ""; next }
    file { print >file; next }
    { print >(to "../outside.md") }' "$work/text.md"

[ "$document" = install ] || [ ! -e "$(ls "$work"/blocks/*.cmake 2>/dev/null)" ] || { echo "a block of cmake"; exit 1; }

# Commands outside of the blocks: in code spans, and in indented blocks.
commands='(make|cmake|ctest|cc|gcc|cp|mkdir|sudo|apt-get|export|pkg-config|meson|conan|vcpkg) '
forgotten=
{ grep -oE '`[^`]+`' "$work/outside.md" | tr -d '`'; sed -n 's/^    //p' "$work/outside.md"; } | grep -E "^$commands" |
    sort -u >"$work/inline.txt" || true
cat "$work"/blocks/*.sh | sed 's/make -C [^ ]*/make/' >"$work/commands.txt"
while IFS= read -r command; do
    grep -qF -- "$command" "$work/commands.txt" || forgotten="$forgotten
    $command"
done <"$work/inline.txt"
[ -z "$forgotten" ] || { echo "no block has these commands, so that they are not tested:$forgotten"; exit 1; }

# All options are in the table of docs/install.md, or named below it.
if [ "$document" = install ]; then
    for option in $(cat "$clone/CMakeLists.txt" "$clone/inspect/CMakeLists.txt" "$clone/mpi/CMakeLists.txt" |
        sed -nE 's/^ *option\((COVEY_[A-Z_]+).*/\1/p; s/^ *set\((COVEY_[A-Z_]+) .* CACHE .*/\1/p'); do
        grep -qF "\`$option\`" "$work/text.md" || { echo "docs/install.md does not name the option $option"; exit 1; }
    done
fi

HOME=$work/home
export HOME
git config --global url."file://$clone".insteadOf https://example.org/covey.git
git config --global init.defaultBranch main

cat >"$work/stand_ins.sh" <<EOT
# Unpacks packages instead of installing them.
sudo() {
    [ "\$1 \$2" = "apt-get install" ]
    shift 2
    for deb; do dpkg-deb -x "\$deb" "$work/root"; done
    libdir=\$(dirname "\$(find "$work/root/usr/lib" -name libcovey.so)")
    PKG_CONFIG_PATH=\$libdir/pkgconfig LD_LIBRARY_PATH=\$libdir
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
}
EOT

# Whether the tools of a block are there; otherwise says which one is missing.
has_tools() { # BLOCK
    tools=
    if grep -q 'make.* deb' "$1"; then tools="dpkg-shlibdeps file npm mpicc.openmpi"; fi
    if grep -q 'COVEY_MPI=ON' "$1"; then tools="$tools mpicc"; fi
    for tool in $tools; do
        command -v "$tool" >/dev/null || { echo "==== left out: there is no $tool"; return 1; }
    done
}

cd "$here"
for block in "$work"/blocks/*; do
    case $block in
    *.c) cp "$block" hello.c ;;
    *.cmake)
        cp "$block" CMakeLists.txt
        rm -rf build/CMakeCache.txt build/CMakeFiles
        ;;
    *.sh)
        echo "==== $block"
        cat "$block"
        has_tools "$block" || continue
        cat "$work/stand_ins.sh" "$block" >"$work/run.sh"
        rm -f hello
        sh -eux "$work/run.sh" >"$work/output.txt" 2>"$work/errors.txt" ||
            { cat "$work/output.txt" "$work/errors.txt"; exit 1; }
        if grep -qx './.*hello' "$block" && ! grep -Eq '^(hello from 1, 2|entity [0-9]+ is at .*)$' "$work/output.txt"; then
            cat "$work/output.txt"
            echo "hello did not run"
            exit 1
        fi
        # Without npm or its packages, there are warnings about the page of the inspector.
        if [ -e "$clone/inspect/page/dist/index.html" ] &&
            grep -i -B 2 -A 9 'warning:\|^CMake.*warning' "$work/output.txt" "$work/errors.txt"; then
            echo "the document says nothing of these warnings"
            exit 1
        fi
        ;;
    esac
done
