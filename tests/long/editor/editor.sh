#!/usr/bin/env bash
# The YAML language server of editors finds nothing wrong in the examples, tells twenty mistakes at their lines, without noise, and
# offers keys and words.
#   editor.sh SOURCE BUILD
set -eu -o pipefail
source=$1 folder=$2/editor
command -v node >/dev/null && command -v npm >/dev/null || { echo "skipped: node and npm are not there" && exit 77; }
mkdir -p "$folder" && cp "$source/tests/long/editor/package.json" "$folder/"
npm install --prefix "$folder" --silent --no-audit --no-fund || { echo "skipped: the server cannot be had" && exit 77; }
ask() { node "$source/tests/long/editor/server.mjs" "$folder/node_modules" "$source/schema/flexion.schema.json" "$@"; }

find "$source/examples" -name '*.yaml' -print0 | sort -z | xargs -0 -n 60 node "$source/tests/long/editor/server.mjs" \
    "$folder/node_modules" "$source/schema/flexion.schema.json" >"$folder/examples.txt"
wrong=$(awk '$2 != 0' "$folder/examples.txt")
echo "$(wc -l <"$folder/examples.txt") examples"
[ -z "$wrong" ] && [ "$(wc -l <"$folder/examples.txt")" -ge 100 ] || { echo "$wrong" && exit 1; }

mistakes="$source/tests/long/editor/mistakes.txt"
while read -r name _; do echo "$source/tests/bad/$name.yaml"; done <"$mistakes" | xargs node \
    "$source/tests/long/editor/server.mjs" "$folder/node_modules" "$source/schema/flexion.schema.json" >"$folder/mistakes.txt"
while read -r name line words; do
    said=$(grep "/$name.yaml " "$folder/mistakes.txt") || said="nothing"
    case $said in
    *'property "like"'* | *'"shell"'*) echo "$name: noise: $said" && exit 1 ;;
    *" $line: $words"*) ;;
    *) echo "$name: '$line: $words' is asked for: $said" && exit 1 ;;
    esac
done <"$mistakes"
echo "$(wc -l <"$mistakes") mistakes"

printf 'flexion: 1\nbodies:\n  rod:\n    type: \n' >"$folder/types.yaml"
printf 'flexion: 1\njoints:\n  pin:\n    type: revolute\n    \n' >"$folder/keys.yaml"
[ "$(ask "$folder/types.yaml@4:11")" = "$folder/types.yaml rigid point flexible beam solid modal" ] || { ask "$folder/types.yaml@4:11" && exit 1; }
offered=$(ask "$folder/keys.yaml@5:5")
for key in on at axis limits friction initial; do
    case " $offered " in *" $key "*) ;; *) echo "'$key' is not offered: $offered" && exit 1 ;; esac
done
