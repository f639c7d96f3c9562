#!/usr/bin/env bash
# Installs the Debian packages that are missing, and only those: quick and offline when nothing is.
#   tools/install-packages.sh [GROUP...]     groups: build (default), test, bench, lint, docs, long
set -eu

build="gcc libc6-dev cmake ninja-build pkg-config
       libyaml-dev libhdf5-dev zlib1g-dev liblapacke-dev libopenblas-serial-dev libsuitesparse-dev libmetis-dev libsundials-dev
       gnuplot-nox scdoc"
page="nodejs npm"
test="chromium locales g++ clang lld libclang-rt-14-dev python3"
bench="valgrind python3 python3-scipy gmsh libslepc-real-dev libopenmpi-dev g++ libsimbody-dev libmujoco-dev calculix-ccx"
lint="clang-format clang-tidy python3"
docs="mkdocs mkdocs-material libjs-katex fonts-katex python3"
long="clang libclang-rt-14-dev valgrind abigail-tools"

# Node may have come another way than from Debian, with its npm.
if command -v node >/dev/null && command -v npm >/dev/null; then page=""; fi
build+=" $page"

wanted=""
for group in "${@:-build}"; do
    case $group in
    build) wanted+=" $build" ;;
    test) wanted+=" $build $test" ;;
    bench) wanted+=" $build $bench" ;;
    lint) wanted+=" $build $lint" ;;
    docs) wanted+=" $build $docs" ;;
    long) wanted+=" $build $test $long" ;;
    *)
        echo "install-packages: no group '$group'; there are: build test bench lint docs long" >&2
        exit 2
        ;;
    esac
done
wanted=$(printf '%s\n' $wanted | sort -u)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install-packages: this is not a Debian system; nothing is installed." >&2
    echo "What Flexion needs, by its Debian names:" $wanted >&2
    exit 0
fi

missing=""
for package in $wanted; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=" $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install-packages: these packages are missing:$missing" >&2
        echo "Install them as root: apt-get install$missing" >&2
        exit 1
    fi
    as_root="sudo"
fi

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o DPkg::Lock::Timeout=900 "$@" >&2
}
install() {
    apt install --no-install-recommends $missing
}

echo "install-packages: installing$missing" >&2
# The package lists may be old or absent: they are fetched when the first attempt fails.
if ! install; then
    apt update
    install || {
        echo "install-packages: could not install$missing" >&2
        exit 1
    }
fi
