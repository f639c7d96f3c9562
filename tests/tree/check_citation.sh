#!/usr/bin/env bash
# CITATION.cff has the keys that it must have, and the version of the headers.
#   check_citation.sh SOURCE
set -eu
file=$1/CITATION.cff
for key in cff-version message title authors version license; do
    grep -q "^$key:" "$file" || { echo "CITATION.cff lacks $key"; exit 1; }
done
header=$(sed -nE 's/^#define FLX_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)/\2/p' "$1/include/flexion/version.h" | paste -sd.)
grep -qx "version: $header" "$file" || { echo "CITATION.cff names another version than $header"; exit 1; }
