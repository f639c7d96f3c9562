#!/usr/bin/env bash
# Build one preset of CMakePresets.json; quiet when nothing is to do.
#   tools/build.sh PRESET DIRECTORY [JOBS] [TARGET]
set -eu -o pipefail
preset=$1 directory=$2 jobs=${3:-$(nproc)} target=${4:-all}

# Configured once; afterwards Ninja notices by itself what changed in the lists. Packages that came since then may
# bring what is optional.
packages=/var/lib/dpkg/status
if [ ! -f "$directory/build.ninja" ] || [ $packages -nt "$directory/build.ninja" ]; then
    echo "building $directory"
    cmake --preset "$preset" --log-level=WARNING >/dev/null
fi

# On a terminal Ninja shows one moving line, in a log only what went wrong.
if [ -t 1 ]; then
    ninja -C "$directory" -j "$jobs" "$target"
else
    ninja -C "$directory" -j "$jobs" --quiet "$target" |
        { grep -vE '^(ninja: no work to do|-- (Configuring|Generating|Build files))' || true; }
fi
