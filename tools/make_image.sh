#!/usr/bin/env bash
# A root file system of Debian 12 with the program, as one archive, by mmdebstrap: no registry of images is asked.
#   tools/make_image.sh PACKAGES FOLDER    the folder of the Debian packages, and where the archive goes
set -eu
command -v mmdebstrap >/dev/null || { echo "make_image: mmdebstrap is not installed" >&2 && exit 2; }
packages=$(realpath "$1")
mkdir -p "$2"
image=$(realpath "$2")/flexion-image.tar
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/packages"
cp "$packages"/flexion_*.deb "$work/packages"
# shellcheck disable=SC2016
mmdebstrap --variant=apt --customize-hook="copy-in $work/packages /" \
    --customize-hook='chroot "$1" apt-get install -y --no-install-recommends /packages/$(basename "$1"/packages/flexion_*.deb)' \
    --customize-hook='rm -rf "$1"/packages "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*.bin' \
    bookworm "$image" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2 && exit 1; }
echo "image      ${2%/}/flexion-image.tar   ('podman import --change ENTRYPOINT=flexion' takes it)"
