#!/usr/bin/env bash
# What make run and make test install on a bare Debian 12: the packages of debootstrap's smallest system, and no others,
# are there. Prints packages and megabytes, and fails where make run installs more than it may.
#   tools/check_packages.sh [--all]     --all: also with Debian's node and npm, and of make test
# Needs the package lists of apt, installs nothing.
set -eu
most_packages=175 most_megabytes=540 # of make run, beside node and npm
cd "$(dirname "$0")/.."

leave_out() {
    echo "left out: $1"
    echo "skipped make_run_installs_few_packages"
    exit 0
}
command -v apt-get >/dev/null || leave_out "this is not a Debian system"
[ "$(. /etc/os-release && echo "${VERSION_ID:-}")" = 12 ] || leave_out "this is not Debian 12, of which the figures are"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
simulate() { # STATUS PACKAGE...
    local status=$1
    shift
    LC_ALL=C apt-get install -q --assume-no --no-install-recommends -o Dir::State::status="$status" -o Debug::NoLocking=1 "$@" 2>/dev/null || true
}
names() {
    sed -n '/^The following NEW packages will be installed:/,/^[^ ]/{/^ /p}' | tr -s ' ' '\n' | grep .
}

# The smallest system: what is essential or required, and apt. /usr is merged from the start.
apt-cache dumpavail >"$work/available" 2>/dev/null
required=$(awk -v RS= '/\nEssential: yes/ || /\nPriority: required/ { split($1 " " $2, word); print word[2] }' "$work/available" |
    sort -u | grep -vx usrmerge) || leave_out "apt has no package lists; 'apt-get update' fetches them"
simulate /dev/null $required usr-is-merged apt | names | sort -u >"$work/bare"
awk -v bare="$work/bare" '
    BEGIN { while ((getline name < bare) > 0) wanted[name] = 1; RS = ""; FS = "\n" }
    {
        name = substr($1, 10)
        if (!(name in wanted)) next
        delete wanted[name]
        print $1 "\nStatus: install ok installed"
        for (i = 2; i <= NF; i++) print $i
        print ""
    }' "$work/available" >"$work/status"
[ -s "$work/status" ] || leave_out "apt does not know the packages of a bare system"

measure() { # PACKAGE...: "count megabytes"
    simulate "$work/status" "$@" | awk '
        / newly installed/ { count = $3 }
        /additional disk space/ { gsub(",", "", $4); size = $4 * ($5 == "GB" ? 1000 : $5 == "kB" ? 0.001 : 1) }
        END { printf "%d %.0f\n", count, size }'
}
packages() { # GROUP PATTERN: what the parts of a group name
    tools/install-packages.sh --list "$1" | sed -nE "s/^($2): *//p"
}
echo "a bare system has $(wc -l <"$work/bare") packages; beyond these install"
read -r count size < <(measure $(packages build build))
[ "$count" -gt 0 ] || leave_out "apt does not find the packages of the build"
echo "make run: $count packages, $size MB"
if [ "${1:-}" = --all ]; then
    read -r with_node size_with_node < <(measure $(packages build build) nodejs npm)
    echo "make run, node and npm of Debian included: $with_node packages, $size_with_node MB"
    read -r of_tests size_of_tests < <(measure $(packages test 'build|sundials|oracle|test'))
    echo "make test, beside node and npm: $of_tests packages, $size_of_tests MB"
    read -r plain size_plain < <(measure $(packages test 'build|oracle|test'))
    echo "    of these because of SUNDIALS: $((of_tests - plain)) packages, $((size_of_tests - size_plain)) MB"
fi

if [ "$count" -gt $most_packages ] || [ "$size" -gt $most_megabytes ]; then
    echo "make run may install $most_packages packages of $most_megabytes MB: see tools/install-packages.sh"
    echo "FAILED make_run_installs_few_packages"
    exit 1
fi
echo "ok     make_run_installs_few_packages"
