#!/bin/sh
# Checks of the sources themselves: who may include whom, headers that compile alone as C and as C++,
# scripts; with the tools that are installed also format and cppcheck, which only warn.
# Ends with status 1 if a rule is broken.
set -u
cd "$(dirname "$0")/.." || exit 2
broken=$(mktemp)
sources="libcore/*/*.[ch] formats/*.[ch] tools/*.[ch]"

wrong() {
    echo "lint: $*" | tee -a "$broken"
}
warn() {
    echo "lint: warning: $*"
}

# ---- includes ------------------------------------------------------------------------------------

# What a file may include, as a pattern of what follows #include ".
allowed() {
    below='libcore/(base|model)/|libcore/version\.h'
    case $1 in
    tools/*) echo '(tools|formats|libcore)/' ;;
    formats/*) echo '(formats|libcore)/' ;;
    libcore/base/*) echo '(libcore/base/|libcore/version\.h)' ;;
    libcore/model/*) echo "($below)" ;;
    libcore/muscle/*) echo "($below|libcore/(motion|muscle)/)" ;;
    libcore/bundle/*) echo "($below|libcore/(motion|muscle|bundle)/)" ;;
    libcore/register/*) echo "($below|libcore/(motion|muscle|register)/)" ;;
    libcore/solve/*) echo "($below|libcore/(motion|muscle|bundle|register|solve)/)" ;;
    libcore/*/*) echo "($below|$(dirname "$1")/)" ;;
    esac
}

check_includes() {
    for file in $sources; do
        pattern=$(allowed "$file")
        sed -n 's/^ *# *include "\(.*\)".*/\1/p' "$file" | while read -r header; do
            echo "$header" | grep -qE "^$pattern" || wrong "$file must not include \"$header\""
            [ -f "$header" ] || wrong "$file includes \"$header\", which is not there"
        done
        if grep -q '# *include <libxml' "$file" && [ "$file" != formats/xml.c ]; then
            wrong "$file includes libxml2; only formats/xml.c may"
        fi
        if grep -q '# *include <zlib' "$file" && [ "$file" != formats/mesh_vtp.c ]; then
            wrong "$file includes zlib; only formats/mesh_vtp.c may"
        fi
        if grep -q '# *include <assimp' "$file" && [ "$file" != formats/mesh_write.c ]; then
            wrong "$file includes Assimp; only formats/mesh_write.c may"
        fi
        case $file in
        tools/fbplot_canvas.c | tools/scene_overlay.c) ;;
        *) ! grep -q '# *include <cairo' "$file" || wrong "$file includes cairo" ;;
        esac
        case $file in
        tools/scene_*.c) ;;
        *) ! grep -qE '# *include <(EGL|GL|png|cglm)' "$file" || wrong "$file draws; tools/scene_*.c do" ;;
        esac
        case $file in
        formats/json* | formats/bundle_spec.c | formats/bundle_stored.c | formats/fb_read.c | formats/layers.c | formats/osim_extra.c | tools/fbinfo.c) ;; # steps are JSON
        *) ! grep -q '# *include <jansson' "$file" || wrong "$file includes jansson" ;;
        esac
    done
}

# Nothing below tools/ prints, or ends the program.
check_calls() {
    for file in libcore/*/*.c formats/*.c; do
        found=$(grep -nE '(^|[^_a-z])(exit|abort|printf|puts|perror|setlocale) *\(' "$file" | head -1)
        [ -z "$found" ] || wrong "$file: $found"
    done
}

# ---- headers -------------------------------------------------------------------------------------

check_headers() {
    flags="-Wall -Wextra -I. -fsyntax-only $(pkg-config --cflags libxml-2.0 jansson nettle)"
    for header in libcore/*.h libcore/*/*.h formats/*.h tools/*.h; do
        # shellcheck disable=SC2086 # several flags
        printf '#include "%s"\ntypedef int not_empty;\n' "$header" |
            ${CC:-cc} -std=c11 -Wpedantic -Werror $flags -x c - ||
            wrong "$header does not compile alone as C11"
        command -v g++ > /dev/null || continue
        # shellcheck disable=SC2086
        echo "#include \"$header\"" | g++ -std=c++11 -Werror $flags -x c++ - ||
            wrong "$header does not compile alone as C++"
    done
}

# ---- the rest ------------------------------------------------------------------------------------

check_scripts() {
    command -v shellcheck > /dev/null || return
    for script in tests/*.sh tests/*/*.sh docs/*.sh models/*/*.sh .ci/run; do
        [ ! -f "$script" ] || shellcheck "$script" || wrong "$script: see above"
    done
}

check_length() {
    for file in $sources; do
        n=$(wc -l < "$file")
        [ "$n" -le 900 ] || warn "$file has $n lines"
    done
}

# docs/architecture.md says what each file does, and names none that is not there.
check_architecture() {
    set -f # patterns are for names, not for files here
    named=$(grep -oE '[a-z0-9_*]+\.[ch]\b' docs/architecture.md | sort -u)
    set +f
    for file in libcore/*/*.c formats/*.c tools/*.c; do
        found=
        set -f
        for pattern in $named; do
            # shellcheck disable=SC2254 # it is a pattern
            case ${file##*/} in $pattern) found=yes ;; esac
        done
        set +f
        [ -n "$found" ] || wrong "docs/architecture.md does not say what $file is"
    done
    set -f
    for pattern in $named; do
        [ -n "$(find libcore formats tools -name "$pattern" -print -quit)" ] ||
            wrong "docs/architecture.md names $pattern, which is not there"
    done
    set +f
}

check_format() {
    if command -v clang-format > /dev/null && [ -f .clang-format ]; then
        for file in $sources; do
            case $file in */classes_*) continue ;; esac # tables, a row a line
            clang-format --dry-run -Werror "$file" > /dev/null 2>&1 ||
                warn "clang-format would change $file; \`make format\` does"
        done
    fi
}

check_cpp() {
    if command -v cppcheck > /dev/null; then
        cppcheck -q --std=c11 --enable=warning,performance,portability --inline-suppr -I. \
            --suppress=missingIncludeSystem --suppress=varFuncNullUB --suppress=unknownMacro \
            --template='lint: warning: {file}:{line}: {message} [{id}]' libcore formats tools 2>&1
    fi
}

check_includes
check_calls
check_headers
check_scripts
check_length
check_architecture
check_format
check_cpp
n=$(wc -l < "$broken")
rm -f "$broken"
echo "lint: $n rules broken"
[ "$n" -eq 0 ]
