#!/bin/sh
# Golden tests: golden.sh BUILD [update]
# A case is a folder tests/golden/TOOL/CASE with `cmd`, a line of shell that is run in the repository's
# root with the tools on the PATH, and what it must give: `out`, `err` and `status`. With `update` these
# are rewritten instead; git diff shows what changed.
set -u
cd "$(dirname "$0")/.." || exit 2
PATH=$PWD/$1:$PATH
export PATH
update=${2:-}
# The cases' own folder for files; the same name every time.
scratch=$PWD/$1/golden
passed=0
failed=0

for cmd in tests/golden/*/*/cmd; do
    case=$(dirname "$cmd")
    rm -rf "$scratch"
    mkdir -p "$scratch"
    export SCRATCH="$scratch"
    sh "$cmd" > "$scratch.out" 2> "$scratch.err" < /dev/null
    echo $? > "$scratch.status"
    sed -i "s|$scratch|SCRATCH|g" "$scratch.out" "$scratch.err"
    ok=1
    for what in out err status; do
        if [ "$update" = update ]; then
            cp "$scratch.$what" "$case/$what"
        elif ! cmp -s "$case/$what" "$scratch.$what"; then
            ok=0
            echo "golden: $case: $what differs"
            diff -u "$case/$what" "$scratch.$what" | head -20
        fi
    done
    if [ $ok -eq 1 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
rm -rf "$scratch" "$scratch".out "$scratch".err "$scratch".status
if [ "$update" = update ]; then
    echo "golden: $passed cases written"
else
    echo "golden: $passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
