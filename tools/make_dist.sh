#!/usr/bin/env bash
# The sources of what is committed as one archive, with the pages and the man pages built: it needs neither node nor scdoc.
#   tools/make_dist.sh BUILD FOLDER    the build that has them, and where the archive goes
set -eu -o pipefail
build=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "$0")/.."
for file in viewer/page_template.c flexion.1 flexion-model.5; do
    [ -f "$build/$file" ] || { echo "make_dist: the build has no $file: node and scdoc make the pages" >&2 && exit 1; }
done
version=$("$build/flexion" --version | cut -d' ' -f2)
name=flexion-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive --prefix="$name/" HEAD | tar -x -C "$work"
mkdir -p "$work/$name/viewer/built" "$work/$name/man/built"
cp "$build/viewer/page_template.c" "$work/$name/viewer/built"
cp "$build/flexion.1" "$build/flexion-model.5" "$work/$name/man/built"
# The same sources give the same bytes.
tar -c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode='u+rwX,go+rX,go-w' --mtime="@$(git log -1 --format=%ct)" "$name" |
    gzip -n9 >"$folder/$name.tar.gz"
echo "sources    ${2%/}/$name.tar.gz"
