#!/usr/bin/env bash
# The archive of the sources: the same bytes twice, and what makes its pages needs neither node nor scdoc.
#   dist.sh SOURCE BUILD
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: the sources are no repository" && exit 77; }
[ -f "$build/viewer/page_template.c" ] && [ -f "$build/flexion.1" ] || { echo "skipped: the build has no pages" && exit 77; }
"$source/tools/make_dist.sh" "$build" "$work/one" >/dev/null
"$source/tools/make_dist.sh" "$build" "$work/two" >/dev/null
cmp "$work"/one/flexion-*.tar.gz "$work"/two/flexion-*.tar.gz
tar -x -C "$work" -f "$work"/one/flexion-*.tar.gz
cd "$work"/flexion-*
test ! -e .git
cmake -S . -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFLX_TESTS=OFF -DFLX_VIEWER=ON \
    -DFLX_NODE=FLX_NODE-NOTFOUND -DFLX_NPM=FLX_NPM-NOTFOUND -DFLX_SCDOC=FLX_SCDOC-NOTFOUND >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    exit 1
}
# The object with the page is compiled from the archive, and the man pages are among what is installed.
object=$(ninja -C "$work/build" -t targets all | sed -n 's/^\(.*built\/page_template\.c\.o\): .*/\1/p' | head -n 1)
test -n "$object"
ninja -C "$work/build" "$object" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    exit 1
}
grep -q 'man/built/flexion\.1' "$work/build/cmake_install.cmake"
