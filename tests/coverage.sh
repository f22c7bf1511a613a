#!/bin/sh
# Which lines the tests reached: coverage.sh BUILD
# After running what was built with --coverage: for each source file the lines that can be run and the
# percentage that were, the least covered first; then the total.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1

# gcov says: File 'formats/xml.c' / Lines executed:97.52% of 323
find "$build/libcore" "$build/formats" "$build/tools" -name '*.gcno' | sort | while read -r notes; do
    "${GCOV:-gcov}" -n "$notes" 2> /dev/null
done | awk '
    /^File / { file = substr($2, 2, length($2) - 2); next }
    /^Lines executed:/ && file ~ /^(libcore|formats|tools)\/.*\.c$/ {
        split($2, part, ":")
        printf "%6.1f %% of %5d lines  %s\n", part[2], $4, file
    }
    { file = "" }' | sort -n | awk '
    { print; lines += $4; run += $1 * $4 / 100 }
    END {
        if (!lines) {
            print "coverage: nothing was built with --coverage"
            exit 1
        }
        printf "%6.1f %% of %5d lines in all\n", 100 * run / lines, lines
    }'
