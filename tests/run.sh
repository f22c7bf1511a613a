#!/bin/sh
# Runs unit tests: run.sh BUILD TEST...
# One line for each binary, then the documents that the tests made are validated against their schemas,
# then `N passed, M failed`. FB_WRAPPER stands in front of each binary (valgrind, say).
set -u
build=$1
shift
documents=$PWD/$build/documents
log=$build/tests.log
kinds="features pairs transforms meshes" # other documents than .fb, each with its schema
rm -rf "$documents"
mkdir -p "$documents"
for kind in $kinds; do
    rm -rf "$documents.$kind"
    mkdir -p "$documents.$kind"
done
: > "$log"
export FB_TEST_DOCUMENTS="$documents"
passed=0
failed=0

now() {
    date +%s%N
}

for test in "$@"; do
    name=${test#"$build"/tests/}
    begin=$(now)
    # shellcheck disable=SC2086 # the wrapper is a command with its arguments
    ${FB_WRAPPER:-} "$test" > "$log.one" 2>&1
    status=$?
    time=$((($(now) - begin) / 1000000))
    cat "$log.one" >> "$log"
    # CUnit's summary: "tests  total  run  passed  failed  inactive"
    counts=$(awk '$1 == "tests" && NF == 6 { print $4, $5 }' "$log.one")
    good=${counts% *}
    bad=${counts#* }
    if [ -z "$counts" ]; then
        good=0
        bad=1
        say="ended with status $status before its summary"
    elif [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
        say="all passed, but status $status"
    else
        say=
    fi
    printf '%-28s %4d passed %4d failed %7d ms %s\n' "$name" "$good" "$bad" "$time" "$say"
    if [ "$bad" -gt 0 ]; then
        grep -vE '^ *$|CUnit - A|cunit.sourceforge|^Run Summary|^ +(suites|tests|asserts) ' "$log.one" | tail -60
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
done
rm -f "$log.one"

validate() { # SCHEMA FOLDER
    if /usr/bin/python3 tests/validate.py "$1" "$2"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}
validate docs/fb.schema.json "$documents"
for kind in $kinds; do
    validate "docs/$kind.schema.json" "$documents.$kind"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
