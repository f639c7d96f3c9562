#!/usr/bin/env bash
# Install, move the tree elsewhere, and use it as a stranger would: by pkg-config and by CMake.
#   run.sh SOURCE BUILD COMPILER
set -eu
source=$1 build=$2 compiler=$3
work=$build/tests/install/work
rm -rf "$work"
mkdir -p "$work"
DESTDIR= cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved" # the package files must not remember where they were
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name flexion.pc)")/..
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir

say() { echo "-- $1"; }
run() { # every program prints the same numbers
    (cd "$work" && "$@" "$source/examples/pendulum.yaml") >"$work/now"
    [ -s "$work/expected" ] || cp "$work/now" "$work/expected"
    diff "$work/expected" "$work/now"
}

say "the program"
"$prefix/bin/flexion" info >/dev/null
"$prefix/bin/flexion" check "$source/examples/pendulum.yaml" >/dev/null

say "the shared library has its name and its version"
version=$(pkg-config --modversion flexion)
minor=${version%.*}
readelf -d "$libdir/libflexion.so" | grep -q "SONAME.*\[libflexion\.so\.$minor\]"
[ -e "$libdir/libflexion.so.$minor" ]
[ "$version" = "$("$prefix/bin/flexion" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')" ]
[ "$version" = "$(printf '#include <flexion/version.h>\nFLX_VERSION\n' |
    $compiler $(pkg-config --cflags flexion) -E -P - | tail -n 1 | tr -d '" ')" ]
! nm -D --defined-only "$libdir/libflexion.so" | grep -E ' T ' | grep -vE " flx_[a-z0-9_]+@@FLEXION_$minor$"

say "pkg-config, shared"
$compiler -std=c17 "$source/examples/pendulum.c" $(pkg-config --cflags --libs flexion) -o "$work/pc_shared"
run "$work/pc_shared"

say "pkg-config, static"
$compiler -std=c17 "$source/examples/pendulum.c" $(pkg-config --cflags flexion) \
    $(pkg-config --static --libs flexion | sed 's/-lflexion/-l:libflexion.a/') -o "$work/pc_static"
LD_LIBRARY_PATH= run "$work/pc_static"

say "CMake package, shared and static"
cmake -S "$source/tests/install/consumer" -B "$work/consumer" -G Ninja --log-level=WARNING \
    -DCMAKE_PREFIX_PATH="$prefix" -DPENDULUM="$source/examples/pendulum.c" -DMINOR="$minor" \
    -DCMAKE_C_COMPILER="$compiler" >/dev/null
ninja -C "$work/consumer" --quiet
run "$work/consumer/with_shared"
LD_LIBRARY_PATH= run "$work/consumer/with_static"

say "examples in C, and in C++: their twins, or the same text"
for program in "$source"/examples/c/*.c; do
    name=$(basename "$program" .c)
    $compiler -std=c17 -Wall -Wextra -Werror -Wno-missing-field-initializers "$program" $(pkg-config --cflags --libs flexion) -lm -lpthread -o "$work/$name"
    (cd "$work" && "./$name" >"$name.out")
    [ -s "$work/$name.out" ]
    twin=${program}pp
    [ -f "$twin" ] || twin=$program
    if command -v g++ >/dev/null; then
        g++ -x c++ -std=c++11 -Wall -Wextra -Wshadow -pedantic -Werror "$twin" $(pkg-config --cflags --libs flexion) -lpthread -o "$work/${name}_cpp"
        (cd "$work" && "./${name}_cpp") | diff "$work/$name.out" -
    fi
done
"$prefix/bin/flexion" check "$work/arm.yaml" >/dev/null # written by build.c

say "the program of docs/library.md"
awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$source/docs/library.md" >"$work/library.c"
$compiler -std=c17 -Wall -Wextra -Werror "$work/library.c" $(pkg-config --cflags --libs flexion) -o "$work/library"
(cd "$source" && "$work/library") >"$work/library.out"
grep -q "stopped by done" "$work/library.out"

say "the manual"
man_page=$(find "$prefix" -name 'flexion.1')
[ -s "$man_page" ]
