#!/bin/sh
# Checks the documents against the tree:
#
#     documents.sh program SOURCE_DIR CC PREFIX WORK_DIR    the program in README.md is the first example; it runs
#     documents.sh tutorial SOURCE_DIR STEP PROGRAM c|cpp   the code on a page of the tutorial is that of its program in
#                                                           this language, which prints what the page shows;
#                                                           EMULATOR runs the programs of another machine
#     documents.sh links SOURCE_DIR                         every file that a document links to exists
#     documents.sh site SOURCE_DIR OUT_DIR                  the site can be built: all its links have a target, and the
#                                                           reference has all functions, and the search finds topics
#                                                           and names; 77 without the tools for it
#     documents.sh browser SOURCE_DIR SITE_DIR              the built site works in a browser (site.mjs); 77 without one
#     documents.sh pictures SOURCE_DIR OUT_DIR PROGRAM      the pictures of the documents are what covey-pictures and the
#                                                           scripts draw, and documents show each of them
#     documents.sh examples SOURCE_DIR                      examples/README.md has all examples
#     documents.sh names SOURCE_DIR                         every test that docs/requirements.md names exists
#     documents.sh identifiers SOURCE_DIR [DOCUMENT...]     every covey_... that a document, or a comment of a header,
#                                                           names is declared
set -eu

step=$1 source=$2

# Prints C files without their comments.
uncommented() {
    awk '{
        line = $0
        while (line != "") {
            at = index(line, inside ? "*/" : "/*")
            if (!inside) printf "%s ", at ? substr(line, 1, at - 1) : line
            if (at) inside = !inside
            line = at ? substr(line, at + 2) : ""
        }
        print ""
    }' "$@"
}

# The names that begin with the prefix of the library, public, private (covey__) and those of macros, one a line.
identifiers() {
    tr -c 'A-Za-z0-9_#' '\n' | grep -E '^(covey|COVEY)_[A-Za-z0-9_]' | sort -u
}

case $step in
program)
    cc=$3 prefix=$4 work=$5
    mkdir -p "$work"
    awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/README.md" >"$work/readme.c"
    diff "$source/examples/01_hello.c" "$work/readme.c"
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$prefix/include" "$work/readme.c" "$prefix/lib/libcovey.a" \
        -o "$work/readme"
    "$work/readme"
    ;;
tutorial)
    page=$source/docs/tutorial/step$3.md language=$5
    # Blocks may be indented less than the program is.
    awk -v page="$page" -v begin='```'"$language" '
        { line = $0; sub(/^ +/, "", line) }
        FNR == NR { program = program "\n" line; next }
        $0 == begin { on = 1; block = "\n"; next }
        /^```$/ && on {
            on = 0
            if (index(program "\n", block) == 0) {
                print page ", up to line " FNR ": this block is not in the program:" block
                status = 1
            }
        }
        on { block = block line "\n" }
        END { exit status }' "$source/examples/tutorial/step$3.$language" "$page"
    ${EMULATOR:-} "$4" >"step$3.$language.txt"
    awk '/^```text$/ { on = 1; next } /^```$/ { on = 0 } on' "$page" | diff - "step$3.$language.txt"
    rm "step$3.$language.txt"
    ;;
links)
    cd "$source"
    status=0 # blocks of code, and [](...), have lambdas
    for document in *.md docs/*.md docs/*/*.md bench/*.md examples/*.md; do
        for target in $(awk '/^```/ { on = !on } !on' "$document" | sed 's/\[[&=]*\](/(/g; s/](/\n](/g' | sed -n 's/^](\([^)#]*\).*/\1/p'); do
            case $target in http*) continue ;; esac
            if [ ! -e "$(dirname "$document")/$target" ]; then
                echo "$document links to $target, which does not exist"
                status=1
            fi
        done
    done
    exit $status
    ;;
site)
    if ! command -v cmark-gfm >/dev/null || ! command -v python3 >/dev/null; then
        echo "skipped: needs cmark-gfm and python3, which scripts/setup docs installs"
        exit 77
    fi
    "$source/scripts/site/build" "$3"
    for topic in determinism spatial 'delta time' 'delete an entity' covey_mpi_migrate covey_inspect_open \
        covey::entity_ref::patch covey::mpi::partition; do
        grep -qE "\\[\"([^\"]*, )?$topic[,\"]" "$3/index.js" || { echo "the search does not find $topic"; exit 1; }
    done
    ;;
browser)
    if ! command -v node >/dev/null || [ ! -f "$3/index.html" ]; then
        echo "skipped: needs node, and the site"
        exit 77
    fi
    node "$source/test/site.mjs" "$source" "$3"
    ;;
pictures)
    out=$3
    rm -rf "$out"
    mkdir -p "$out"
    ${EMULATOR:-} "$4" "$out"
    status=0
    diff -r "$source/docs/pictures" "$out" || status=1
    if command -v python3 >/dev/null; then
        mkdir "$out/scripts"
        "$source/scripts/kinds" "$out/scripts"
        "$source/scripts/paths" "$out/scripts"
        for drawn in "$out"/scripts/*; do diff "$source/docs/${drawn##*/}" "$drawn" || status=1; done
    fi
    for picture in "$source"/docs/pictures/*; do
        grep -rqF "pictures/${picture##*/})" "$source/docs" --include='*.md' ||
            { echo "no document shows ${picture##*/}"; status=1; }
    done
    exit $status
    ;;
examples)
    cd "$source/examples"
    status=0
    for example in [0-9]*.c*; do
        if ! grep -q "^| \[$example\]($example) | ." README.md; then
            echo "examples/README.md has no row for $example"
            status=1
        fi
    done
    exit $status
    ;;
names)
    cd "$source"
    status=0
    # Words in backquotes, in the last column of a row.
    for name in $(sed -n 's/^| REQ.*|\(.*\)|$/\1/p' docs/requirements.md | grep -o '`[a-z0-9_]*`' | tr -d '`' | sort -u); do
        if ! grep -rqw -e "$name" test bench fuzz --include='*.c' --include=CMakeLists.txt; then
            echo "docs/requirements.md names the test $name, which does not exist"
            status=1
        fi
    done
    exit $status
    ;;
identifiers)
    cd "$source"
    shift 2
    [ $# -gt 0 ] || set -- README.md docs/*.md docs/*/*.md docs/path_*.svg docs/kinds.svg docs/pictures/*.svg include/covey/*.h* include/covey/detail/*.h* inspect/include/covey/* mpi/include/covey/*
    {
        uncommented include/covey/*.h* include/covey/detail/*.h* inspect/include/covey/* mpi/include/covey/* | identifiers
        # Private names and options of the build are not for callers, but documents explain them.
        { uncommented src/*/*.[ch]; cat CMakeLists.txt inspect/CMakeLists.txt mpi/CMakeLists.txt scripts/amalgamate; } | identifiers | grep -E '^(covey__|COVEY_)'
        for document in "$@"; do
            identifiers <"$document" | sed "s|^|$document |"
        done
    } | awk '
        NF == 1 { known[$1] = 1; for (i = 7; i < length($1); i++) begins[substr($1, 1, i)] = 1; next }
        $2 in known { next }
        $2 ~ /_$/ && $2 in begins { next }                                                  # covey_pool_*
        { made = $2; sub(/_[A-Z][A-Za-z0-9]*$/, "_##T", made); if (made in known) next }    # covey_type_Position
        { print $1 " names " $2 ", which is not declared"; status = 1 }
        END { exit status }'
    ;;
*)
    echo "unknown step $step"
    exit 2
    ;;
esac
