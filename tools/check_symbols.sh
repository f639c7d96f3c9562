#!/usr/bin/env bash
# Every global symbol of the library begins with flx_, so that it meets no other in a program that links it.
#   tools/check_symbols.sh LIBRARY    (the static one)
set -eu
library=$1

# These are to be renamed; a line goes when they are.
remain='(structural|collocation|discrete|bdf)_.*'

found=$(nm -g --defined-only "$library" | awk 'NF == 3 {print $3}' | grep -v '^flx_' | sort -u || true)
bad=$(grep -vxE "$remain" <<<"$found" || true)
[ -z "$bad" ] || echo "global symbols without flx_:" $bad
[ -z "$bad" ]
