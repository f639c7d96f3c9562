#!/usr/bin/env bash
# What programs that were compiled with the last release rely on is still there: functions, types, members and values.
# Additions are fine.
#   tools/check_abi.sh          compares the headers with abi/flexion-MAJOR.MINOR.xml
#   tools/check_abi.sh --keep   writes that file: with a release, or where MINOR was raised
# That the library exports what the headers declare is checked by tools/check_api.sh.
set -eu
what=${1:-compare}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One pointer to each function: its debug information has all types that the function needs, and no private ones.
{
    echo '#include <flexion/flexion.h>'
    sed 's://.*::' "$root"/include/flexion/*.h "$root"/include/flexion/extend/*.h | tr '\n' ' ' | grep -oE 'FLX_API [^;(]*\(' |
        grep -oE 'flx_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u | sed 's/.*/__typeof__(\&&) abi_&;/'
} >"$work/abi.c"
(cd "$work" && gcc -std=gnu17 -g -O0 -shared -fPIC -I"$root/include" abi.c -o libabi.so)

number() { sed -nE "s/^#define FLX_VERSION_$1 ([0-9]+)$/\1/p" "$root/include/flexion/version.h"; }
kept=$root/abi/flexion-$(number MAJOR).$(number MINOR).xml
if [ "$what" = --keep ]; then
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --type-id-style hash \
        --out-file "$kept" "$work/libabi.so"
    echo "kept abi/$(basename "$kept")"
    exit 0
fi
[ -f "$kept" ] || {
    echo "abi/$(basename "$kept") is not there: tools/check_abi.sh --keep writes it, where MINOR was raised" >&2
    exit 1
}
abidiff --no-show-locs --no-added-syms --suppressions "$root/abi/suppressions.ini" "$kept" "$work/libabi.so" || {
    echo "programs that were compiled with the last release may not run: take this back, or raise FLX_VERSION_MINOR" \
        "(include/flexion/version.h) and run tools/check_abi.sh --keep" >&2
    exit 1
}
echo "the library serves what was compiled with its last release"
