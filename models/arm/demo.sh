#!/bin/sh
# The muscles of the arm as bodies of bundles; `make demo` runs it from the top of the repository.
# Converts arm25.osim, gives its 25 muscles about 400 bundles each, writes their figures, layers and surfaces,
# and draws them on the bones with the picture program of docs/, which BUILD has.  demo.sh [BUILD]
set -eu

cd "$(dirname "$0")/../.."
build=${1:-build/release}
to=build/demo
mkdir -p "$to"

printf '\n$ bin/osim2fb models/arm/arm25.osim | bin/fbgen -g models/arm/Geometry --spec models/arm/arm25.json \\\n'
printf '      --table %s/arm.tsv --layers %s/arm.jsonl --mesh %s/arm.ply -o %s/arm.fb\n' "$to" "$to" "$to" "$to"
bin/osim2fb -q models/arm/arm25.osim | bin/fbgen -g models/arm/Geometry --spec models/arm/arm25.json \
    --table "$to/arm.tsv" --layers "$to/arm.jsonl" --mesh "$to/arm.ply" -o "$to/arm.fb"

printf '\n$ %s/docs/gallery --layers models/arm/arm25.osim %s/arm.jsonl %s/arm.png\n' "$build" "$to" "$to"
"$build/docs/gallery" --layers models/arm/arm25.osim "$to/arm.jsonl" "$to/arm.png"

printf '\nThe arm'\''s muscles are %s/arm.fb (the model with its bundles), arm.tsv (figures), arm.jsonl (rings)\n' "$to"
printf 'and arm.ply (surfaces).\nThe picture is %s/arm.png.\n' "$PWD/$to"
