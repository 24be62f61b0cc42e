#!/bin/sh
# Checks the style of the C and C++ files that git knows (CONTRIBUTING.md):
#
#     format.sh files SOURCE_DIR        prints the files, one a line; `make format` formats these
#     format.sh columns SOURCE_DIR      no line has more than 120 characters
#     format.sh words SOURCE_DIR        no comment has a word that hides its subject: nobody, somebody, whoever
#     format.sh unchanged SOURCE_DIR    clang-format changes nothing
#
# Exits with 77, which skips the test, where git or clang-format is missing.
set -eu

step=$1
cd "$2"

skip() {
    echo "skipped: $*"
    exit 77
}

# bench/textbook.h is a copy, with the style of its author.
files() { # [PATHSPEC...]
    git ls-files --cached --others --exclude-standard "$@" | grep -E '\.([ch]|[ch]pp)$' | grep -vx bench/textbook.h |
        while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done
}

# Fails with a heading if there is anything to report.
report() { # HEADING TEXT
    [ -n "$2" ] || return 0
    printf '%s:\n%s\n' "$1" "$2"
    exit 1
}

[ -n "$(files 2>/dev/null)" ] || skip "this is no clone of the repository, or git is missing"

case $step in
files)
    files
    ;;
columns)
    # Bytes that continue a character of UTF-8 do not count.
    report "more than 120 columns" "$(files | LC_ALL=C xargs awk '
        { line = $0; gsub(/[\200-\277]/, "", line) }
        length(line) > 120 { print FILENAME ":" FNR ": " length(line) }')"
    ;;
words)
    report "a comment should name who it means" "$(files src include inspect mpi tools ':!inspect/page' | xargs awk '
        # Appends the comments of the line to `text`; `inside` tells whether the last one continues in the next line.
        function read_line(line,    at) {
            gsub(/\047(\\.|[^\\])\047|"(\\.|[^"\\])*"/, "", line) # a literal may look like a comment
            while (line != "") {
                if (inside) at = index(line, "*/")
                else if ((at = match(line, /\/\/|\/\*/)) && substr(line, at, 2) == "//") {
                    text = text substr(line, at)
                    return
                }
                if (inside) text = text (at ? substr(line, 1, at - 1) : line)
                if (at) inside = !inside
                line = at ? substr(line, at + 2) : ""
            }
        }
        FNR == 1 { inside = 0 }
        { text = ""; read_line($0); text = tolower(text) }
        text ~ /(^|[^a-z_])(nobody|somebody|whoever)([^a-z_]|$)/ { print FILENAME ":" FNR ": " $0 }')"
    ;;
unchanged)
    # The result depends on the version of clang-format. The tree is formatted with this one.
    version=14
    found=$(clang-format --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/') || true
    [ "$found" = $version ] || skip "needs clang-format $version; this is ${found:-none}"
    report "make format changes these" "$(files | xargs clang-format --dry-run 2>&1 |
        sed -n 's/^\([^:]*\):.*\[-Wclang-format-violations\]$/\1/p' | sort -u)"
    ;;
*)
    echo "unknown step $step"
    exit 2
    ;;
esac
