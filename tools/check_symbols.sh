#!/usr/bin/env bash
# Every global symbol of the library begins with flx_, so that it meets no other in a program that links it.
#   tools/check_symbols.sh LIBRARY    (the static one)
set -eu
library=$1

bad=$(nm -g --defined-only "$library" | awk 'NF == 3 {print $3}' | grep -v '^flx_' | sort -u || true)
[ -z "$bad" ] || echo "global symbols without flx_:" $bad
[ -z "$bad" ]
