#!/bin/sh
# Everything beyond unit tests: check.sh BUILD [CORPUS]
# Lint, golden outputs, round trips of the models in models/, and with CORPUS (a folder with
# corpus/osim/*.osim and ref/) those of a large collection, compared with what OpenSim says of them.
# Ends with the line `N passed, M failed`.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
corpus=${2:-}
work=$build/check
PATH=$PWD/$build:$PATH
export PATH
passed=0
failed=0
rm -rf "$work"
mkdir -p "$work"

count() { # STATUS WHAT: counts one check
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "check: failed: $2"
    fi
}

# The last line "N passed, M failed" of a program's output, added to the sums.
add_counts() {
    line=$(tail -1 "$1")
    good=$(echo "$line" | sed -n 's/^.*\<\([0-9]*\) passed, \([0-9]*\) failed$/\1/p')
    bad=$(echo "$line" | sed -n 's/^.*\<\([0-9]*\) passed, \([0-9]*\) failed$/\2/p')
    passed=$((passed + ${good:-0}))
    failed=$((failed + ${bad:-1}))
}

# osim -> fb -> osim -> fb: the same document but for its steps, and the same .osim the second time.
round_trip() {
    file=$1
    name=$work/$(basename "$file" .osim)
    osim2fb -q "$file" -o "$name.fb" && fb2osim -q "$name.fb" -o "$name.osim" &&
        osim2fb -q "$name.osim" -o "$name.2.fb" && fb2osim -q "$name.2.fb" -o "$name.2.osim" || return 1
    jq -S 'del(.steps)' "$name.fb" > "$name.a" && jq -S 'del(.steps)' "$name.2.fb" > "$name.b" || return 1
    cmp "$name.a" "$name.b" || return 1
    # OpenSim's "::" in names is no fault to it: it says so, but its status is 0
    xmllint --noout "$name.osim" 2> "$name.log" || { cat "$name.log"; return 1; }
    # of the .osim, all but the comment that holds the steps
    grep -v '^{"tool"\|"steps": \[' "$name.osim" > "$name.a"
    grep -v '^{"tool"\|"steps": \[' "$name.2.osim" > "$name.b"
    cmp "$name.a" "$name.b"
}

sh tests/lint.sh
count $? lint

bash -n .ci/run
count $? .ci/run

sh tests/golden.sh "$build" > "$work/golden.log"
cat "$work/golden.log"
add_counts "$work/golden.log"

models=0
for file in models/*/*.osim; do
    [ -f "$file" ] || continue
    round_trip "$file"
    count $? "round trip of $file"
    models=$((models + 1))
done
echo "check: round trips of $models models"
fbgen -q --no-arms --spec models/arm/arm25.json models/arm/arm25.osim -o "$work/bundles.fb"
count $? "bundles of models/arm"
jq -e '[.muscles[] | select(.bundles.cells)] | length == 25' "$work/bundles.fb" > /dev/null
count $? "bundles of 25 muscles of models/arm, in the document"
/usr/bin/python3 tests/validate.py docs/fb.schema.json "$work"/*.fb
count $? "schema of the models"

mkdir -p "$work/bones"
/usr/bin/python3 models/arm/bones.py "$work/bones" && diff -r "$work/bones" models/arm/Geometry
count $? "bones of models/arm, as their script writes them"

/usr/bin/python3 models/standard/check.py > "$work/standard.log"
cat "$work/standard.log"
add_counts "$work/standard.log"

# with a corpus, its models too; OpenBLAS's threads would only wait for each other
properties() {
    if [ -n "$corpus" ]; then
        set -- "$@" "$corpus"/corpus/osim/*.osim
        for file in "$corpus"/corpus/pipelines/*/*.osim; do
            [ ! -f "$file" ] || set -- "$@" "$file"
        done
    fi
    OPENBLAS_NUM_THREADS=1 "$build/tests/properties/properties" "$@"
}
properties models/*/*.osim > "$work/properties.log"
cat "$work/properties.log"
add_counts "$work/properties.log"

if [ -n "$corpus" ]; then
    /usr/bin/python3 tests/corpus.py "$build" "$corpus" > "$work/corpus.log"
    cat "$work/corpus.log"
    add_counts "$work/corpus.log"
    /usr/bin/python3 tests/bundles_corpus.py "$build" "$corpus" "$work" > "$work/bundles.log"
    cat "$work/bundles.log"
    add_counts "$work/bundles.log"
    if [ -d "$corpus/corpus/skeletons/lhdl" ]; then
        /usr/bin/python3 tests/bundles_lhdl.py "$build" "$corpus/corpus/skeletons/lhdl" "$work/lhdl" \
            > "$work/lhdl.log"
        cat "$work/lhdl.log"
        add_counts "$work/lhdl.log"
    fi
    if [ -d "$corpus/corpus/skeletons/scans" ]; then
        "$build/tests/register/landmarks_corpus" "$corpus/corpus" > "$work/landmarks.log"
        cat "$work/landmarks.log"
        add_counts "$work/landmarks.log"
    fi
    if [ -d "$corpus/corpus/skeletons/tlem2" ]; then
        mkdir -p "$work/retarget"
        /usr/bin/python3 tests/retarget_corpus.py "$build" "$corpus" "$work/retarget" bars same > "$work/retarget.log"
        cat "$work/retarget.log"
        add_counts "$work/retarget.log"
    fi
    if [ -d "$corpus/ref/tools" ]; then
        for tool in ik id so; do
            /usr/bin/python3 "tests/tools_corpus_$tool.py" "$build" "$corpus" "$work/tools_$tool" > "$work/tool.log"
            count $? "OpenSim's set-ups: $tool"
            grep -v '^ok' "$work/tool.log"
        done
    fi
    /usr/bin/python3 tests/mechanics.py "$build" "$corpus" > "$work/mechanics.log"
    cat "$work/mechanics.log"
    add_counts "$work/mechanics.log"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
