#!/usr/bin/env bash
# Packages install on a bare Debian and work there, in a chroot by mmdebstrap. Exit 77: it is not installed, or there is no mirror.
#   packages.sh SOURCE [FOLDER OF PACKAGES]    without a folder they are built (tools/build_deb.sh)
set -eu
source=$1 folder=${2:-}
command -v mmdebstrap >/dev/null || { echo "skipped: mmdebstrap is not installed" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --variant=apt bookworm /dev/null --simulate >"$work/log" 2>&1 || { tail -n 3 "$work/log" && echo "skipped: no mirror of Debian" && exit 77; }
if [ -z "$folder" ]; then
    "$source/tools/build_deb.sh"
    folder=$source/build/deb
fi
mkdir "$work/packages"
cp "$folder"/flexion_*.deb "$folder"/flexion-doc_*.deb "$work/packages"
cat >"$work/inside" <<'END'
set -eu
apt-get install -y --no-install-recommends /packages/flexion_*.deb >/log 2>&1 || { tail -n 20 /log; exit 1; }
echo "$(grep -oE '[0-9]+ newly installed' /log), $(grep -oE '[0-9.,]+ .B of additional disk space' /log)"
test "$(sed -n 's/.* \([0-9]*\) newly installed.*/\1/p' /log)" -le 35
test "$(sed -n 's/^After this operation, \([0-9]*\)[0-9.,]* MB of additional.*/\1/p' /log)" -lt 75
apt-get install -y --no-install-recommends /packages/flexion-doc_*.deb >>/log 2>&1
cd /tmp
sh -eu /packages/run
flexion --version
END
cp "$source/debian/tests/run" "$work/packages/run"
mmdebstrap --variant=apt --customize-hook="copy-in $work/packages /" --customize-hook="copy-in $work/inside /" \
    --customize-hook='chroot "$1" sh /inside' bookworm /dev/null >"$work/log" 2>&1 || { tail -n 30 "$work/log" && exit 1; }
grep -E 'newly installed|^flexion ' "$work/log"
