#!/usr/bin/env bash
# Every public header compiles alone, as C and as C++.
#   tools/check_headers.sh [CC] [CXX]
set -eu
cc=${1:-cc} cxx=${2:-c++}
include=$(cd "$(dirname "$0")/../include" && pwd)
bad=0
for header in "$include"/flexion/*.h "$include"/flexion/extend/*.h; do
    name=${header#"$include"/}
    for compiler in "$cc -x c -std=c17 -Wstrict-prototypes" "$cxx -x c++ -std=c++17"; do
        printf '#include "%s"\nextern int used;\n' "$name" | # version.h declares nothing
            $compiler -Wall -Wextra -Wshadow -pedantic -Werror -I"$include" -fsyntax-only - || bad=1
    done
done
exit $bad
