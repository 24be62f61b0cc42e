#!/bin/sh
# A replay program refuses a corpus that is damaged or cut short, instead of leaving out inputs:
#
#     damaged.sh REPLAY CORPUS WORK_DIR    EMULATOR runs programs of another machine
set -eu

replay=$1 corpus=$2 work=$3
mkdir -p "$work"
copy=$work/corpus.tar

runs() { $EMULATOR "$replay" "$copy" >"$work/out" 2>&1; }

refuses() { # WHAT WHY
    if runs || ! grep -q "^$copy: $2" "$work/out"; then
        echo "$1: not refused as \"$2\", but:"
        tail -1 "$work/out"
        exit 1
    fi
}

# Writes characters to the copy.
poke() { # OFFSET CHARACTERS
    printf %s "$2" | dd of="$copy" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

cp "$corpus" "$copy"
runs || { echo "the whole corpus does not pass"; exit 1; }

size=$(wc -c <"$corpus")
for length in 0 1 511 512 513 $((size / 2)) $((size - 1024)) $((size - 512)) $((size - 1)); do
    head -c "$length" "$corpus" >"$copy"
    refuses "cut to $length bytes" truncated
done

for offset in 1 124 148 257 345; do # name, size, sum, "ustar" and the last field of the first header
    cp "$corpus" "$copy"
    poke "$offset" '~'
    refuses "byte $offset" damaged
done

cp "$corpus" "$copy"
poke 104 1
poke 156 5 # a folder; the mode makes up for it in the sum
refuses "a folder" "a member is not a plain file"

cat "$corpus" "$corpus" >"$copy"
refuses "two in one" "bytes behind the end"
