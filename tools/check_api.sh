#!/usr/bin/env bash
# The symbols that the shared library exports are exactly the functions declared FLX_API.
#   tools/check_api.sh LIBRARY
set -eu
library=$1
headers=$(dirname "$0")/../include/flexion

declared=$(sed 's://.*::' "$headers"/*.h "$headers"/extend/*.h | tr '\n' ' ' | grep -oE 'FLX_API [^;(]*\(' |
    grep -oE 'flx_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' |
    grep -vE '^(_init|_fini|__.*|_edata|_end|FLEXION_[0-9.]+)$' | sort -u)

only_declared=$(comm -23 <(echo "$declared") <(echo "$exported"))
only_exported=$(comm -13 <(echo "$declared") <(echo "$exported"))
[ -z "$only_declared" ] || echo "declared FLX_API but not defined:" $only_declared
[ -z "$only_exported" ] || echo "exported but not declared FLX_API:" $only_exported
[ -z "$only_declared$only_exported" ]
