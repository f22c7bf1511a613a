#!/bin/sh
# Installs those of the named Debian packages that are missing: packages.sh PACKAGE...
# Without the right to do so it prints the line to run. Prints nothing if all are there.
set -eu
missing=

has() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v dpkg-query > /dev/null; then
    echo "packages.sh: this is no Debian; make sure that these are there: $*" >&2
    exit 0
fi
for package in "$@"; do
    has "$package" || missing="$missing $package"
done
if ! command -v cc > /dev/null && ! command -v gcc > /dev/null && ! command -v clang > /dev/null; then
    missing="$missing gcc libc6-dev"
fi
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
    as_root=sudo
else
    echo "packages are missing; run: sudo apt-get install$missing" >&2
    exit 1
fi
install() {
    # shellcheck disable=SC2086 # a list of names; nothing, or sudo
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q "$@"
}
install update
# shellcheck disable=SC2086
install install --no-install-recommends $missing
