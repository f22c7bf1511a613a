#!/bin/sh
# Writes the documents that follow from the code: docs/*.schema.json, classes.md, errors.md, man/*.1,
# gallery/*.png, and the table at the end of gallery.md.
set -eu
build=$1
"$build/docs/generate" schema > docs/fb.schema.json
"$build/docs/generate" bundles > docs/bundles.schema.json
"$build/docs/generate" classes > docs/classes.md
"$build/docs/generate" errors > docs/errors.md
"$build/fbsim" sweep models/elbow/elbow.osim --coordinate elbow_flexion |
    "$build/fbplot" --degrees --size 160x95 -o docs/elbow.svg
mkdir -p docs/gallery
"$build/docs/gallery" docs/gallery > "$build/docs/measures"
sed '/^|---/q' docs/gallery.md | cat - "$build/docs/measures" > "$build/docs/gallery.md"
cp "$build/docs/gallery.md" docs/gallery.md
version=$(sed -n 's/.*FB_VERSION "\(.*\)"/\1/p' libcore/version.h)
for tool in osim2fb fb2osim fbinfo fbgen retarget fbsim fbplot; do
    # the parts of --help, and between them the text of docs/man/TOOL.in
    "$build/$tool" --help | awk -v tool="$tool" -v version="$version" -v text="docs/man/$tool.in" '
        function escape(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.\047]/) s = "\\&" s; return s }
        BEGIN { printf ".\\\" made by make docs\n.TH %s 1 \"\" \"fbtools %s\"\n", toupper(tool), version }
        /^usage:/ { synopsis = substr($0, 8); part = "summary"; next }
        /^options:/ { part = "options"; head(); next }
        /^exit status:/ { part = "exit"; print ".SH \"EXIT STATUS\""; sub(/^exit status: /, ""); print escape($0); next }
        /^examples:/ { part = "examples"; print ".SH EXAMPLES"; next }
        function head(   line, n) {
            sub(/[ \n]*$/, "", summary)
            n = index(summary, ".")
            printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n", tool, escape(first(summary)), escape(synopsis)
            n = 0
            while ((getline line < text) > 0)
                if (line ~ /^\.SH/ && ++n > 1 || n > 1) rest = rest line "\n"; else print line
            print ".SH OPTIONS"
        }
        function first(s,   n) {
            gsub(/\n/, " ", s); sub(/^ +/, "", s); n = match(s, /[.;:] /); if (n) s = substr(s, 1, n - 1)
            sub(/\.$/, "", s); return tolower(substr(s, 1, 1)) substr(s, 2)
        }
        part == "summary" { summary = summary $0 "\n"; next }
        part == "options" && NF {
            line = substr($0, 3); n = match(line, /  +[^ ]/)
            if (line ~ /^   +--/) { sub(/^ +/, "", line); n = match(line, /  +[^ ]/) }
            if (n == 0) n = match(line, / [a-z][a-z]+ [a-z]/)
            option = substr(line, 1, n - 1); about = substr(line, n); sub(/^ +/, "", about)
            printf ".TP\n.B %s\n%s\n", escape(option), escape(about); next
        }
        part == "exit" && NF { print escape($0); next }
        part == "examples" && NF { sub(/^ +/, ""); printf ".PP\n.nf\n.RS\n%s\n.RE\n.fi\n", escape($0) }
        END { printf "%s", rest }
    ' > "docs/man/$tool.1"
done
