#!/bin/sh
# A walk through fbtools with the elbow model; `make demo` runs it from the top of the repository.
# Converts elbow.osim to .fb, shows what is in it, writes it as .osim again, and compares both.
set -eu

cd "$(dirname "$0")/../.."
mkdir -p build

run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

run bin/osim2fb models/elbow/elbow.osim -o build/elbow.fb
run bin/fbinfo build/elbow.fb
run bin/fb2osim build/elbow.fb -o build/elbow.osim
run bin/fbinfo --diff build/elbow.osim build/elbow.fb

printf '\nThe results are build/elbow.fb and build/elbow.osim.\n'
