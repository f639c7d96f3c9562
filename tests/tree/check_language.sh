#!/usr/bin/env bash
# The committed reference and JSON Schema are what the program's own table says.
#   check_language.sh PROGRAM SOURCE
set -eu
program=$1 source=$2
"$program" language --schema flexion.schema.json --reference reference.md
cmp flexion.schema.json "$source/schema/flexion.schema.json" && cmp reference.md "$source/docs/reference.md" || {
    echo "written anew by: make docs"
    exit 1
}
