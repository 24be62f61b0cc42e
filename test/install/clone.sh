#!/bin/sh
# Makes a clean clone of the working tree, with the changes that are not committed: a repository with one commit on main.
# Documents are followed there. Exits with 77 where the working tree is no repository.
#
#     clone.sh SOURCE_DIR CLONE_DIR
set -eu

source=$1 clone=$2
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: $source is no git repository"; exit 77; }
rm -rf "$clone"
mkdir -p "$clone"
# Files that were removed without a commit are left out.
git -C "$source" ls-files -co --exclude-standard |
    while IFS= read -r file; do [ ! -e "$source/$file" ] || echo "$file"; done |
    tar -C "$source" -cf - -T - | tar -C "$clone" -xf -
cd "$clone"
git init -q
git symbolic-ref HEAD refs/heads/main
git add -A
git -c user.name=test -c user.email=test@example.org commit -qm "The working tree"
