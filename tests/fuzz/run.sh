#!/bin/sh
# Fuzzes: run.sh SECONDS FUZZER...
# Each FUZZER (build/fuzz/fuzz_NAME) runs SECONDS on a corpus, build/fuzz/corpus/fuzz_NAME, that begins with
# the models in models/, or tests/fuzz/seeds, and grows from run to run. What crashes it is kept as build/fuzz/fuzz_NAME-*, what it
# said as build/fuzz/fuzz_NAME.log. One line for each fuzzer; status 1 if one crashed. With FUZZ_RUNS the corpus
# and the chance are the same every time, and that many runs are made at most.
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=$1
shift
folder=build/fuzz

converter() { # where osim2fb is
    for tool in build/release/osim2fb bin/osim2fb; do
        [ ! -x "$tool" ] || break
    done
    [ -x "$tool" ] || make -s CONFIG=release tools > $folder/tools.log 2>&1
    echo "$tool"
}

# Small files of meshes and feature points, each after the letter of its kind (fuzz_mesh.c), with which its
# name begins.
seed_meshes() { # FOLDER
    for file in tests/fuzz/seeds/*.*; do
        kind=$(basename "$file")
        { printf '%s' "${kind%%_*}" && cat "$file"; } > "$1/seed_${kind%.*}"
    done
}

seed() { # TARGET FOLDER
    if [ "$1" = fuzz_mesh ]; then
        seed_meshes "$2"
    else
        seed_models "$1" "$2"
    fi
    # those that must be read again because they once broke something
    for file in tests/fuzz/found/"$1"-*; do
        [ ! -f "$file" ] || cp "$file" "$2"
    done
}

seed_models() { # TARGET FOLDER
    for file in models/*/*.osim; do
        name=$(basename "$file" .osim)
        case $1 in
        fuzz_osim) cp "$file" "$2/seed_$name.osim" ;;
        *) "$osim2fb" -q "$file" -o "$2/seed_$name.fb" 2> /dev/null ;;
        esac
    done
}

fuzz() { # FUZZER
    target=$(basename "$1")
    corpus=$folder/corpus/$target
    limits=-max_total_time=$seconds
    if [ -n "${FUZZ_RUNS:-}" ]; then
        rm -rf "$corpus"
        limits="$limits -runs=$FUZZ_RUNS -seed=1"
    fi
    mkdir -p "$corpus"
    rm -f "$folder/$target"-*
    seed "$target" "$corpus"
    # shellcheck disable=SC2086 # a list
    "$1" "$corpus" -dict="tests/fuzz/${target#fuzz_}.dict" $limits -timeout=10 \
        -rss_limit_mb=2048 -max_len=65536 -artifact_prefix="$folder/$target-" -print_final_stats=1 \
        > "$folder/$target.log" 2>&1 < /dev/null
}

say() { # TARGET STATUS
    log=$folder/$1.log
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    if [ "$2" -eq 0 ]; then
        echo "$1: ${runs:-0} runs in at most $seconds s, ${covered:-0} edges covered, no crash"
    else
        found=$(sed -n 's/^artifact_prefix=.*Test unit written to //p' "$log" | tail -1)
        why=$(grep -m1 -E '^SUMMARY|runtime error|^fuzz: |ERROR: ' "$log")
        echo "$1: status $2 after ${runs:-?} runs: ${why:-see $log}; input ${found:-none}, log $log"
    fi
}

mkdir -p $folder
osim2fb=$(converter)
pids=
for fuzzer in "$@"; do # side by side
    fuzz "$fuzzer" &
    pids="$pids $!"
done
failed=0
for pid in $pids; do
    wait "$pid"
    status=$?
    say "$(basename "$1")" $status
    [ $status -eq 0 ] || failed=1
    shift
done
exit $failed
