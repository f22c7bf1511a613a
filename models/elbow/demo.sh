#!/bin/sh
# A walk through fbtools with the elbow model; `make demo` runs it from the top of the repository.
# Converts elbow.osim to .fb, shows what is in it, writes it as .osim again, compares both, evaluates a motion,
# and draws what the muscles do over the elbow's range.
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
run bin/fbsim eval build/elbow.fb --states models/elbow/curl.mot --external-loads models/elbow/curl_loads.xml \
    --out build/curl
run bin/fbsim sweep build/elbow.fb --coordinate elbow_flexion -o build/elbow_sweep.sto
run bin/fbplot build/elbow_sweep.sto --degrees -o build/elbow.svg

printf '\nThe results are build/elbow.fb, build/elbow.osim, the tables in build/curl, and the figure build/elbow.svg.\n'
