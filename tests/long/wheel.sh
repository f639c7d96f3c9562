#!/bin/sh
# The wheel: it needs the C library alone, pip installs it without a network, it is small, and the tests of the package pass with it.
#   wheel.sh SOURCE BUILD PYTHON
set -eu
source=$1 build=$2 python=$3
ninja -C "$build" --quiet flexion_wheel
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wheel=$("$source/tools/build_wheel.py" "$build/python/flexion" "$build/python/wheel/_flexion.abi3.so" "$folder/wheel")
again=$("$source/tools/build_wheel.py" "$build/python/flexion" "$build/python/wheel/_flexion.abi3.so" "$folder/again")
cmp "$wheel" "$again" || { echo "the same input gives other bytes"; exit 1; }
size=$(stat -c %s "$wheel")
echo "$(basename "$wheel"): $size bytes"
[ "$size" -le 8000000 ] || { echo "more than 8 MB"; exit 1; }
"$python" -m pip install --quiet --root-user-action=ignore --no-index --no-deps --target "$folder/site" "$wheel"
if ldd "$folder/site/flexion/_flexion.abi3.so" | grep -vE 'linux-vdso|lib(c|m|dl|pthread|gcc_s)\.so|ld-linux'; then
    echo "needs the libraries above"
    exit 1
fi
export FLX_PYTHON_PACKAGE="$folder/site" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
for test in model run result analyses functions optimise guide; do
    "$python" -m pytest -q -p no:cacheprovider "$source/tests/python/test_$test.py"
done
