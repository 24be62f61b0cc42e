#!/bin/sh
# Runs every command of covey-snap and compares its output with the files in golden/.
#
#     run.sh TOOL MAKE GOLDEN_DIR WORK_DIR
#
# EMULATOR runs programs of another machine. UPDATE=1 writes the output to golden/; read the change before you commit it.
set -eu

tool=$1 make=$2 golden=$3 work=$4
failed=0
EMULATOR=${EMULATOR:-}

# A finding of a sanitizer has its own exit code.
ASAN_OPTIONS=exitcode=99${ASAN_OPTIONS:+:$ASAN_OPTIONS}
UBSAN_OPTIONS=exitcode=99${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}
export ASAN_OPTIONS UBSAN_OPTIONS

rm -rf "$work"
mkdir -p "$work"
cd "$work"
$EMULATOR "$make" .

fail() {
    echo "$1"
    failed=1
}

# Runs the tool; its exit code must be this.
run() { # EXIT_CODE ARGUMENT...
    expected=$1
    shift
    status=0
    $EMULATOR "$tool" "$@" >out 2>err || status=$?
    [ $status -eq $expected ] || fail "covey-snap $*: exit code $status, expected $expected; $(cat err)"
}

compare() { # GOLDEN_FILE FILE
    if [ -n "${UPDATE:-}" ]; then cp "$2" "$golden/$1"; fi
    diff "$golden/$1" "$2" || fail "$1 differs"
}

# Prints this, and nothing to stderr. Values that are stored as bytes say which byte order they have.
prints() { # GOLDEN_FILE EXIT_CODE ARGUMENT...
    name=$1
    shift
    run "$@"
    sed 's/bytes-big   /bytes-little/; s/bytes-big/bytes-little/' out >shown
    compare "$name" shown
    [ ! -s err ] || fail "covey-snap $*: $(cat err)"
}

# Prints only a message that contains this text.
complains() { # TEXT EXIT_CODE ARGUMENT...
    text=$1
    shift
    run "$@"
    [ ! -s out ] || fail "covey-snap $*: prints something"
    case $(cat err) in
    "covey-snap: "*"$text"*) ;;
    *) fail "covey-snap $*: $(cat err); expected: $text" ;;
    esac
    [ "$(wc -l <err)" -eq 1 ] || fail "covey-snap $*: more than one line of messages"
}

# ---- help ----
for command in "" info verify diff export query serve; do
    run 0 $command --help
    grep -q '^usage: covey-snap' out || fail "$command --help does not say how"
    [ ! -s err ] || fail "$command --help: $(cat err)"
done
run 0 --version
grep -Eq '^covey-snap [0-9]+\.[0-9]+\.[0-9]+, format [0-9]+$' out || fail "--version"
complains 'no command given' 2
complains 'unknown command look' 2 look
complains 'unknown option --look' 2 --look
complains 'unknown option --look' 2 info --look a.covey
complains 'unknown option --brief' 2 info --brief a.covey
complains 'unknown option -x' 2 verify -x a.covey
complains '--json takes no value' 2 info --json=yes a.covey
complains '--limit needs a value' 2 diff a.covey b.covey --limit
complains 'x is not a number for --limit' 2 diff --limit=x a.covey b.covey
complains '-1 is not a number for --limit' 2 diff --limit -1 a.covey b.covey
complains '1KB is not a number' 2 diff --limit 1KB a.covey b.covey
complains '18446744073709551616 is not a number' 2 diff --limit 18446744073709551616 a.covey b.covey
complains '18014398509481984K is not a number' 2 diff --limit 18014398509481984K a.covey b.covey
complains 'info needs a file' 2 info
complains 'verify needs a file' 2 verify
complains 'diff needs two files' 2 diff a.covey
complains 'unexpected argument c.covey' 2 diff a.covey b.covey c.covey
complains 'unexpected argument b.covey' 2 info a.covey b.covey

# ---- info ----
prints info.txt 0 info a.covey
prints info-fields.txt 0 info a.covey --fields
prints info.json 0 info --json a.covey
prints info-fields.json 0 info --json --fields a.covey
prints info-odd.txt 0 info odd.covey
prints info-odd.json 0 info --json odd.covey
prints info-nobody.txt 0 info nobody.covey
prints info-note.txt 0 info note1.covey --fields
prints info.txt 0 info -- a.covey
complains 'missing.covey' 2 info missing.covey
complains '(folder)' 2 info "$(mkdir -p folder && echo folder)"
complains '(fault 1: ' 2 info empty.covey
complains '(fault 1: ' 2 info text.covey
complains '(fault 2: ' 2 info version.covey
complains '(fault 3: ' 2 info cut.covey
complains '(fault 4: ' 2 info flipped.covey --fields

# ---- verify ----
prints verify.txt 1 verify a.covey b.covey cut.covey empty.covey flipped.covey text.covey twice.covey value.covey \
    version.covey nobody.covey odd.covey
prints verify-ok.txt 0 verify a.covey b.covey
complains 'missing.covey' 2 verify missing.covey
complains '(folder)' 2 verify folder
run 2 verify flipped.covey missing.covey a.covey
grep -q '^a.covey: ok$' out || fail "verify stops at a file that is not there"
complains '(fault 12: ' 2 verify --limit-entities 7 a.covey
complains '(fault 12: ' 2 verify --limit-bytes 2K a.covey
complains '(fault 12: ' 2 verify --limit-bytes=1000 a.covey
prints verify-ok.txt 0 verify --limit-entities 20 --limit-bytes 0 a.covey b.covey
if [ -f scattered.covey ]; then
    for command in 'verify' 'diff scattered.covey' 'export'; do
        complains 'raise limit_bytes, or --limit-bytes of covey-snap' 2 $command scattered.covey
    done
    run 0 verify --limit-bytes 200M scattered.covey
    run 0 verify --limit-bytes 0 scattered.covey
    run 0 diff --limit-bytes 200M scattered.covey scattered.covey
fi
run 0 verify --progress a.covey
[ "$(cat err)" = "covey-snap: reading a.covey: 100 %" ] || fail "verify --progress: $(cat err)"

# ---- diff ----
prints diff.txt 1 diff a.covey b.covey
prints diff-back.txt 1 diff b.covey a.covey
prints diff-brief.txt 1 diff --brief a.covey b.covey
prints diff-limit.txt 1 diff --limit 3 a.covey b.covey
prints diff-ticks.txt 1 diff --ticks a.covey b.covey
prints diff-types.txt 1 diff unit1.covey unit2.covey
prints diff-note.txt 1 diff note1.covey note2.covey
run 0 diff note1.covey note1.covey
prints diff-nobody.txt 1 diff nobody.covey unit1.covey
prints diff-same.txt 0 diff a.covey a.covey
prints diff-same.txt 0 diff --ticks --brief a.covey a.covey
complains 'flipped.covey: section' 2 diff a.covey flipped.covey
complains 'missing.covey' 2 diff missing.covey a.covey

# ---- export ----
for type in Body Numbers Shape Stays Behind Ordered Blob Marked Never; do
    prints $type.csv 0 export a.covey $type
    run 0 export a.covey $type -o one.csv
    compare $type.csv one.csv
done
prints Note.csv 0 export note1.covey Note
run 0 export a.covey -o all
LC_ALL=C ls all >listed
compare all.txt listed
for file in all/*; do compare "${file#all/}" "$file"; done
run 0 export a.covey Body --output=all
run 0 export a.covey Body Marked Body -o two/
[ "$(ls two | tr '\n' ' ')" = "Body.csv Marked.csv " ] || fail "export: $(ls two)"
run 0 export odd.covey -o odd
LC_ALL=C ls odd >listed
compare odd.txt listed
[ ! -e up.csv ] && [ ! -e ../up.csv ] || fail "export leaves the folder"
# Names and texts cannot send commands to a terminal.
if [ -z "$EMULATOR" ] && script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$tool export a.covey Stays 2>err" /dev/null >shown
    grep -q '\\x1b\[31m\\xff' shown || fail "export to a terminal does not escape: $(cat -v shown)"
    ! tr -d '\r\n' <shown | grep -q '[[:cntrl:]]' || fail "export to a terminal: $(cat -v shown)"
fi
complains 'a.covey has 9 types' 2 export a.covey
complains 'a.covey has no components of type Nothing' 2 export a.covey Nothing
complains 'of type Paused' 2 export a.covey Paused
complains 'of type covey.disabled' 2 export a.covey covey.disabled
complains 'nobody.covey has no components' 2 export nobody.covey
complains 'cannot write nowhere/x.csv' 2 export a.covey Body -o nowhere/x.csv
complains 'cannot create the folder nowhere/x' 2 export a.covey -o nowhere/x
complains 'Vast has too many fields' 2 export vast.covey
complains 'flipped.covey: section' 2 export flipped.covey Body
if [ -w /dev/full ]; then
    status=0
    $EMULATOR "$tool" export a.covey Body >/dev/full 2>err || status=$?
    [ $status -eq 2 ] || fail "export to a full disk: exit code $status"
    grep -q '^covey-snap: cannot write' err || fail "export to a full disk: $(cat err)"
    complains 'cannot write /dev/full' 2 export a.covey Body -o /dev/full
fi

# ---- query ----
prints query.csv 0 query a.covey Body Marked
prints query-body.csv 0 query a.covey Body
prints query-body.json 0 query --json a.covey Body
prints query-json.json 0 query --json a.covey Numbers
prints query-shape.json 0 query --json a.covey Shape
prints query-blob.json 0 query --json a.covey Blob '!Marked'
prints query-tag.json 0 query --json a.covey Marked
prints query-none.json 0 query --json a.covey Never
prints query-note.csv 0 query note1.covey 'Note.number >= 2'
prints query-ranks.csv 0 query ranks Marked 'Body.hits[0] = 3..6'
prints query-odd.csv 0 query odd.covey ../up 'two, "words"'
# The indices of the entities that fulfil terms.
finds() { # INDICES IMAGE TERM...
    wanted=$1
    shift
    run 0 query "$@" --json
    found=$(sed -n 's/^  {"e": "\([0-9]*\):.*/\1/p' out | tr '\n' ' ')
    [ "$found" = "$wanted" ] || fail "covey-snap query $*: finds $found, expected $wanted"
    run 0 query "$@" --count
    [ "$(cat out)" = "$(printf %s "$wanted" | wc -w | tr -d ' ')" ] || fail "covey-snap query --count $*: $(cat out)"
}
finds '0 7 ' a.covey Body
finds '1 2 3 4 5 6 ' a.covey '!Body'
finds '' a.covey Body Marked
finds '5 6 ' a.covey Marked
finds '0 ' a.covey 'Body.mass = 0.1'
finds '0 ' a.covey 'Body.mass == 1e-1'
finds '7 ' a.covey 'Body.mass != 0.1'
finds '0 ' a.covey 'Body.at.y = 0.1'
finds '0 7 ' a.covey 'Body.at.y>=0.1'
finds '7 ' a.covey 'Body.at.y > 0.1'
finds '7 ' a.covey 'Body.at.x < 1.5'
finds '0 7 ' a.covey 'Body.at.x <= 1.5'
finds '0 ' a.covey 'Body.at.x = 1..1.5'
finds '' a.covey 'Body.at.x = 1.6..2'
finds '0 ' a.covey 'Body.hits[1] = -2'
finds '0 ' a.covey 'Body.hits[3] = -4..-3'
finds '0 ' a.covey 'Body.hits[3] < -3.5'
finds '7 ' a.covey 'Body.hits[3] > -3.5'
finds '0 ' a.covey 'Body.owner = 1:1'
finds '' a.covey 'Body.owner = 1:2'
finds '7 ' a.covey 'Body.owner = null'
finds '0 ' a.covey 'Body.owner != null'
finds '0 ' a.covey 'Body.asleep = true'
finds '7 ' a.covey 'Body.asleep = false'
finds '7 ' a.covey 'Body.asleep != true'
finds '0 ' a.covey 'Body.label = hull'
finds '0 ' a.covey 'Body.label = "hull"'
finds '7 ' a.covey 'Body.label < b'
finds '0 7 ' a.covey 'Body.label <= hull'
finds '0 ' a.covey 'Body.label ~ HU ul'
finds '7 ' a.covey 'Body.label ~ "B A"'
finds '2 ' a.covey 'Numbers.i64 = -9223372036854775808'
finds '' a.covey 'Numbers.i64 = -9223372036854775807'
finds '2 ' a.covey 'Numbers.u64 = 18446744073709551615'
finds '0 2 ' a.covey 'Numbers.u64 < 1e30' 'Numbers.i64 > -1e30'
finds '' a.covey 'Numbers.u64 = 18446744073709551614'
finds '0 2 ' a.covey 'Numbers.u64 > -1' 'Numbers.i8 = -128..8'
finds '0 ' a.covey 'Numbers.i8 = 7' 'Numbers.u8 = 8' 'Numbers.i16 = 5' 'Numbers.u16 = 6' 'Numbers.i32 = 3' 'Numbers.u32 = 4'
finds '2 ' a.covey 'Numbers.letter = """'
finds '0 ' a.covey 'Numbers.letter = '
finds '4 ' a.covey 'Shape.corners[0].x = inf'
finds '4 ' a.covey 'Shape.corners[1].x = nan'
finds '3 ' a.covey 'Shape.corners[1].x != nan'
finds '' a.covey 'Shape.corners[1].x > nan'
finds '3 ' a.covey 'Shape.corners[1].x = 0'
finds '3 ' a.covey 'Shape.turn[3] = 0.333333343'
finds '0 ' a.covey 'name = ship'
finds '0 1 2 3 ' a.covey name
finds '4 5 6 7 ' a.covey '!name'
finds '1 ' a.covey 'name ~ QUOTED odd'
finds '1 2 3 ' a.covey 'name != ship'
finds '0 ' a.covey 'name > sea'
finds '4 ' ranks 'Body.owner = 5:1'
run 0 query --limit 1 a.covey Body
[ "$(wc -l <out)" -eq 2 ] || fail "query --limit: $(cat out)"
run 0 query --limit 0 a.covey Body
[ "$(wc -l <out)" -eq 1 ] || fail "query --limit 0: $(cat out)"
complains 'query needs a file and a term' 2 query a.covey
complains '--json and --count exclude each other' 2 query --json --count a.covey Body
complains 'no components of type Nothing' 2 query a.covey Nothing.x
complains 'no components of type covey' 2 query a.covey covey.disabled
complains 'no components of type ' 2 query a.covey ''
complains 'no components of type Bod' 2 query a.covey 'Bod = 1'
complains 'there is no such field' 2 query a.covey 'Body.nothing = 1'
complains 'there is no such field' 2 query a.covey 'Body.at.z = 1'
complains 'there is no such field' 2 query a.covey 'Body. = 1'
complains 'name a number' 2 query a.covey 'Body.at = 1'
complains 'name an element' 2 query a.covey 'Body.hits = 1'
complains 'no such element' 2 query a.covey 'Body.hits[4] = 1'
complains 'no such element' 2 query a.covey 'Body.hits[-1] = 1'
complains 'no such element' 2 query a.covey 'Body.hits[99999999999999999999] = 1'
complains 'no such element' 2 query a.covey 'Body.label[1] = a'
complains 'no such element' 2 query a.covey 'Body.hits[1 = 1'
complains 'it has no fields' 2 query a.covey 'Marked.x = 1'
complains 'it has no fields' 2 query a.covey 'Body.mass.x = 1'
complains 'compare the field with a value' 2 query a.covey Body.mass
complains 'compare a field of the type' 2 query a.covey 'Body = 1'
complains 'something else than a comparison' 2 query a.covey 'Body x'
complains 'compare with !=' 2 query a.covey '!Body.mass = 1'
complains 'the field is a number' 2 query a.covey 'Body.mass = x'
complains 'the field is a number' 2 query a.covey 'Body.mass = 1 2'
complains 'the field is a number' 2 query a.covey 'Body.mass ='
complains 'the field is a number' 2 query a.covey 'Numbers.i8 = 0b1'
complains 'the field is an entity' 2 query a.covey 'Body.owner = ship'
complains 'the field is an entity' 2 query a.covey 'Body.owner = 1:-1'
complains 'the field is an entity' 2 query a.covey 'Body.owner = 1:0'
complains 'the field is an entity' 2 query a.covey 'Body.owner = 4294967296:1'
complains 'the field is a bool' 2 query a.covey 'Body.asleep = 1'
complains 'it has no order' 2 query a.covey 'Body.owner < 1:1'
complains 'it has no order' 2 query a.covey 'Body.asleep > false'
complains '~ is for texts' 2 query a.covey 'Body.mass ~ 1'
complains 'a range follows =' 2 query a.covey 'Body.mass > 1..2'
complains 'a range is two numbers' 2 query a.covey 'Body.mass = 1..'
complains 'a range is two numbers' 2 query a.covey 'Body.mass = ..1'
complains 'Vast has too many fields' 2 query vast.covey Vast
run 0 query --json vast.covey 'Vast.bytes[7] = 1'
complains 'flipped.covey: section' 2 query flipped.covey Body
complains 'missing.covey' 2 query missing.covey Body
complains '(fault 12: ' 2 query --limit-bytes 2K a.covey Body
if [ -z "$EMULATOR" ] && script -qec true /dev/null >/dev/null 2>&1; then
    for json in "" --json; do
        script -qec "$tool query a.covey Numbers $json 2>err" /dev/null >shown
        ! tr -d '\r\n' <shown | grep -q '[[:cntrl:]]' || fail "query $json to a terminal: $(cat -v shown)"
    done
fi
if [ -w /dev/full ]; then
    status=0
    $EMULATOR "$tool" query a.covey Body >/dev/full 2>err || status=$?
    [ $status -eq 2 ] || fail "query to a full disk: exit code $status"
    grep -q '^covey-snap: cannot write' err || fail "query to a full disk: $(cat err)"
fi

# ---- serve ----
# INSPECT is set where the tool has the inspector.
if [ -n "${INSPECT:-}" ]; then
    complains 'missing.covey' 2 serve missing.covey
    complains '(fault 4: ' 2 serve flipped.covey
    complains '--port must be from 0 to 65535' 2 serve --port 65536 a.covey
    complains '--open takes no value' 2 serve --open=x a.covey
    for signal in INT TERM; do
        rm -f address
        "$tool" serve a.covey >address 2>said &
        served=$!
        tries=0
        until [ -s address ] || [ $tries -ge 200 ]; do sleep 0.05; tries=$((tries + 1)); done
        grep -Eq '^http://127\.0\.0\.1:[0-9]+/#token=[0-9a-f]{32}$' address || fail "serve: $(cat address said)"
        port=$(sed 's|.*:\([0-9]*\)/.*|\1|' address) token=$(sed 's|.*token=||' address)
        complains 'in use' 2 serve --port "$port" a.covey
        if command -v curl >/dev/null; then
            ask() { curl -sS --max-time 20 -H "Authorization: Bearer $token" "$@"; }
            ask "http://127.0.0.1:$port/api/v1/world" >answer || fail "serve: no answer"
            grep -q '"title":"a.covey"' answer || fail "serve: $(cat answer)"
            grep -q '"write":false' answer || fail "serve: $(cat answer)"
            ask -d '{"type":"Body","do":"shrink"}' "http://127.0.0.1:$port/api/v1/storage" >answer
            grep -q READ_ONLY answer || fail "serve changes something: $(cat answer)"
        fi
        kill -s $signal $served
        status=0
        wait $served || status=$?
        [ $status -eq 0 ] || fail "serve ends with $status at SIG$signal"
        [ ! -s said ] || fail "serve: $(cat said)"
    done
else
    complains 'built without the inspector' 2 serve a.covey
fi

# ---- checkpoints of covey::mpi ----
prints diff-ranks.txt 0 diff whole.covey ranks
prints diff-ranks.txt 0 diff ranks whole.covey
prints info-ranks.txt 0 info ranks
prints verify-ranks.txt 0 verify ranks
for type in Body Note Marked; do
    run 0 export whole.covey $type -o whole.csv
    run 0 export ranks $type -o ranks.csv
    cmp whole.csv ranks.csv || fail "export of a checkpoint"
done
prints diff-rank.txt 1 diff --brief ranks ranks.7.0
mkdir -p elsewhere
cp ranks ranks.7.* elsewhere
prints diff-ranks.txt 0 diff ranks elsewhere/ranks
for number in 0 1 2; do
    head -c 300 ranks.7.$number >elsewhere/ranks.7.$number
    complains "ranks.7.$number: " 2 diff ranks elsewhere/ranks
    cp ranks.7.$number elsewhere
done
head -c 300 ranks.7.2 >elsewhere/ranks.7.2
run 1 verify elsewhere/ranks
grep -q 'ranks.7.2: .*(fault 3: ' out || fail "verify of a damaged checkpoint: $(cat out)"
complains 'lost.7.1' 2 info lost
complains 'vast.7.0' 2 info vast
complains 'its ranks have more indices than exist' 2 info hostile
complains 'twins.9.1: one of its entities is on another rank, too' 2 info twins
complains 'truncated or damaged' 2 info short
complains 'another version' 2 info later
complains '(fault 12: ' 2 info --limit-entities 11 ranks
sed 's/ranks 3/ranks 2/' ranks >less
complains 'truncated or damaged' 2 info less
if [ -n "${INSPECT:-}" ]; then
    rm -f address
    "$tool" serve ranks >address 2>said &
    served=$!
    tries=0
    until [ -s address ] || [ $tries -ge 200 ]; do sleep 0.05; tries=$((tries + 1)); done
    port=$(sed 's|.*:\([0-9]*\)/.*|\1|' address) token=$(sed 's|.*token=||' address)
    if command -v curl >/dev/null; then
        curl -sS --max-time 20 -H "Authorization: Bearer $token" "http://127.0.0.1:$port/api/v1/world" >answer ||
            fail "serve: no answer"
        grep -q '"entities":12' answer || fail "serve of a checkpoint: $(cat answer)"
    fi
    kill -s INT $served
    wait $served || fail "serve of a checkpoint ends with $?"
fi

# ---- compressed ----
if [ -e packed.covey ]; then
    prints diff-same.txt 0 diff packed.covey a.covey
    prints Body.csv 0 export packed.covey Body
    run 0 info packed.covey
    disk=$(wc -c <packed.covey | tr -d ' ') image=$(wc -c <a.covey | tr -d ' ')
    grep -q "^bytes     $disk on disk, $image as an image\$" out || fail "info of a compressed file: $(cat out)"
    complains '(fault 12: ' 2 info --limit-bytes 1000 packed.covey
fi

# ---- other programs read it ----
if command -v python3 >/dev/null; then
    for name in a odd nobody; do
        run 0 info --json --fields $name.covey
        python3 -c 'import json, sys; json.load(sys.stdin)' <out || fail "the JSON of $name.covey"
    done
    for term in Body Numbers Shape Blob Marked Never name '!name'; do
        run 0 query --json a.covey "$term"
        python3 -c 'import json, sys; json.load(sys.stdin)' <out || fail "the JSON of query $term"
    done
    python3 - <<'PYTHON' || fail "the CSV of Body"
import csv
rows = list(csv.reader(open("all/Body.csv", newline="", encoding="utf-8")))
assert all(len(row) == len(rows[0]) for row in rows)
assert rows[2][rows[0].index("label")] == 'a,"b"\r\nc '
rows = list(csv.reader(open("all/Stays.csv", newline="", encoding="utf-8", errors="surrogateescape")))
assert rows[2][2].encode("utf-8", "surrogateescape") == b"gr\xc3\xbc\xc3\x9f \x1b[31m\xff"
PYTHON
fi

# ---- damaged where no checksum tells ----
seed=0
while [ $seed -lt "${MUTATIONS:-40}" ]; do
    original=a.covey
    [ $((seed % 4)) -ne 3 ] || original=note1.covey
    $EMULATOR "$make" mutate $original mutant.covey $seed
    for command in "info --fields" verify "diff a.covey" "export -o mutant"; do
        status=0
        $EMULATOR "$tool" $command --limit-bytes 64M mutant.covey >out 2>err || status=$?
        [ $status -le 2 ] || fail "covey-snap $command: exit code $status after mutation $seed; $(cat err)"
    done
    for term in Body 'Body.owner != null' 'Numbers.i64 < 3' 'Shape.corners[1].x > 0' 'Body.label ~ a' 'Note.number = 1..2' '!Blob'; do
        for format in "" --json; do
            status=0
            $EMULATOR "$tool" query --limit-bytes 64M mutant.covey "$term" $format >out 2>err || status=$?
            [ $status -eq 0 ] || [ $status -eq 2 ] ||
                fail "covey-snap query $term: exit code $status after mutation $seed; $(cat err)"
        done
    done
    seed=$((seed + 1))
done

exit $failed
