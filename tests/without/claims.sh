# What the tests of programs without libraries share; sourced with PROGRAM OTHER_PROGRAM SOURCE_DIRECTORY.
program=$1 other=$2 source=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/without.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1"
    echo "FAILED $claim"
    exit 1
}
ok() { echo "ok     $claim"; }
