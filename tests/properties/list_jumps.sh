#!/bin/sh
# Writes tests/properties/jumps.txt anew: list_jumps.sh BUILD MODEL...
# After a change of geometry, `git diff` then shows which jumps came and went.
set -eu
cd "$(dirname "$0")/../.."
build=$1
shift
raw=$build/jumps.raw
FB_PROPERTY=continuous FB_JUMPS=$raw OPENBLAS_NUM_THREADS=1 "$build/tests/properties/properties" "$@" > /dev/null
{
    sed -n '/^#/p' tests/properties/jumps.txt
    awk -F '\t' '{
        key = $1 "\t" $2 "\t" $3 "\t" $4
        split($5, size, " ")
        if (!(key in most) || size[1] > most[key]) {
            most[key] = size[1]
            where[key] = $5
        }
    }
    END { for (key in most) print key "\t" where[key] }' "$raw" | LC_ALL=C sort
} > "$build/jumps.new"
mv "$build/jumps.new" tests/properties/jumps.txt
