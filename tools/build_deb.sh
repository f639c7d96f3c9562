#!/usr/bin/env bash
# Debian packages of what is committed, in build/deb, and what lintian says of them: errors end this.
#   tools/build_deb.sh
set -eu
cd "$(dirname "$0")/.."
for program in dpkg-buildpackage dh lintian; do
    command -v $program >/dev/null || { echo "build_deb: $program is not installed (packages dpkg-dev, debhelper, lintian)" >&2 && exit 2; }
done
place=build/deb
rm -rf $place && mkdir -p $place/flexion
git archive HEAD | tar -x -C $place/flexion
[ ! -d viewer/node_modules ] || cp -a viewer/node_modules $place/flexion/viewer/ # the page is made of them
(cd $place/flexion && dpkg-buildpackage -b -us -uc -d >../build.log 2>&1) || { tail -n 40 $place/build.log && exit 1; }
lintian --fail-on error --suppress-tags bad-distribution-in-changes-file $place/*.changes
rm -rf $place/flexion
ls $place/*.deb
