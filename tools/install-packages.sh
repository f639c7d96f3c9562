#!/usr/bin/env bash
# Installs the Debian packages that are missing, and only those: quick and offline when nothing is.
#   tools/install-packages.sh [GROUP...]            groups: build (default), test, bench, lint, docs, long
#   tools/install-packages.sh --list [GROUP...]     only prints what the groups name
# One line per part says how many packages come with it, and how large they are.
set -eu

# What make run needs. SUNDIALS is no part of it: Debian's package brings PETSc, Trilinos and MPI.
build="gcc libc6-dev cmake ninja-build pkg-config
       libyaml-dev libhdf5-dev zlib1g-dev liblapacke-dev libopenblas-serial-dev libsuitesparse-dev libmetis-dev libqhull-dev libexpat1-dev
       gnuplot-nox scdoc"
page="nodejs npm"
sundials="libsundials-dev"
ipopt="coinor-libipopt-dev"
fmu="libblas-dev liblapack-dev zopfli"
nlopt="libnlopt-dev"
oracle="libmumps-seq-dev libarpack2-dev libmujoco-dev"
robots="libmujoco-samples dart-doc morse-simulator-doc libsimbody-dev sdformat-doc"
ranks="libmumps-dev libopenmpi-dev openmpi-bin"
python="python3-dev python3-numpy python3-pandas python3-xarray python3-matplotlib python3-pytest mypy"
notebook="jupyter-nbconvert python3-ipykernel"
optional="sundials ipopt nlopt fmu oracle ranks robots python notebook" # found where present: builds and tests go without
test="chromium locales g++ clang lld libclang-rt-14-dev python3 python3-yaml python3-jsonschema"
bench="valgrind python3 python3-scipy gmsh libslepc-real-dev libopenmpi-dev g++ libsimbody-dev libmujoco-dev calculix-ccx liggghts"
lint="clang-format clang-tidy python3"
docs="mkdocs mkdocs-material libjs-katex fonts-katex python3"
long="clang libclang-rt-14-dev valgrind abigail-tools dpkg-dev debhelper lintian mmdebstrap slurm-wlm munge openmpi-bin parallel"

# Node may have come another way than from Debian, with its npm.
if command -v node >/dev/null && command -v npm >/dev/null; then page=""; fi

list=no
if [ "${1:-}" = --list ]; then list=yes && shift; fi
parts=""
for group in "${@:-build}"; do
    case $group in
    build) parts+=" build page" ;;
    test) parts+=" build page sundials ipopt nlopt fmu oracle ranks python test" ;;
    bench) parts+=" build page sundials ipopt nlopt bench" ;;
    lint) parts+=" build page lint" ;;
    docs) parts+=" build page docs" ;;
    long) parts+=" build page sundials ipopt nlopt fmu oracle ranks robots python notebook test long" ;;
    *)
        echo "install-packages: there is no group '$group'; the groups are: build test bench lint docs long" >&2
        exit 2
        ;;
    esac
done
parts=$(printf '%s\n' $parts | awk '!seen[$0]++')

if [ $list = yes ]; then
    for part in $parts; do echo "$part:" ${!part}; done
    exit 0
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install-packages: this is not a Debian system; nothing is installed." >&2
    echo "Flexion needs these packages, by their Debian names:" >&2
    for part in $parts; do echo "    $part:" ${!part} >&2; done
    exit 0
fi

# Of the packages named, those that are not installed.
missing() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y -o DPkg::Lock::Timeout=900 "$@" >"$log" 2>&1
}
# How much an installation would bring: "12 packages (34.5 MB)".
extent() {
    LC_ALL=C apt-get install -q --no-install-recommends --assume-no "$@" 2>/dev/null | awk '
        / newly installed/ { count = $3 }
        /additional disk space/ { size = $4 " " $5 }
        END { printf "%d %s", count, count == 1 ? "package" : "packages"; if (size) printf " (%s)", size }'
}

# Package lists may be absent or old: they are fetched once, when something is not found.
fetched=no
fetch() {
    [ $fetched = no ] || return 1
    fetched=yes
    apt update
}
install() {
    apt install -s "$@" || fetch || return 1
    echo "install-packages: $part: installing $(extent "$@")" >&2
    apt install --no-install-recommends "$@" || { fetch && apt install --no-install-recommends "$@"; }
}

for part in $parts; do
    wanted=$(missing ${!part})
    [ -n "$wanted" ] || continue
    if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
        echo "install-packages: packages are missing. Install them as root: apt-get install" $wanted >&2
        exit 1
    fi
    install $wanted && continue
    case " $optional " in
    *" $part "*) echo "install-packages: $part: cannot be installed; what needs it is left out:" $wanted >&2 ;;
    *)
        tail -n 20 "$log" >&2
        echo "install-packages: could not install" $wanted >&2
        exit 1
        ;;
    esac
done
