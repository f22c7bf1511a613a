#!/bin/sh
# A walk through fbtools with the elbow model; `make demo` runs it from the top of the repository.
# Converts elbow.osim to .fb, shows what is in it, writes it as .osim again, compares both, evaluates a motion,
# and draws what the muscles do over the elbow's range.
set -eu

cd "$(dirname "$0")/../.."
mkdir -p build/demo

run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

run bin/osim2fb models/elbow/elbow.osim -o build/demo/elbow.fb
run bin/fbinfo build/demo/elbow.fb
run bin/fb2osim build/demo/elbow.fb -o build/demo/elbow.osim
run bin/fbinfo --diff build/demo/elbow.osim build/demo/elbow.fb
run bin/fbsim eval build/demo/elbow.fb --states models/elbow/curl.mot --external-loads models/elbow/curl_loads.xml \
    --out build/demo/curl
run bin/fbsim sweep build/demo/elbow.fb --coordinate elbow_flexion -o build/demo/elbow_sweep.sto
run bin/fbplot build/demo/elbow_sweep.sto --degrees -o build/demo/elbow.svg

printf '\nThe results are build/demo/elbow.fb, build/demo/elbow.osim, the tables in build/demo/curl, and the figure build/demo/elbow.svg.\n'
