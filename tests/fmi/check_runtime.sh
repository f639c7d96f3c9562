#!/usr/bin/env bash
# The library inside FMUs goes to machines without Flexion: it exports FMI's functions alone, needs the C library alone, of an
# age that others have, and leaves the process as it is.
#   check_runtime.sh LIBRARY [PACKED]
set -eu
library=$1
packed=${2:-}
bad=0
complain() { echo "$1:" "${@:2}"; bad=1; }

exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | grep -vE '^fmi[23][A-Z]' || true)
[ -z "$exported" ] || complain "it exports more than the functions of FMI" $exported
needed=$(readelf -d "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | grep -vxE 'lib(c|m|gcc_s)\.so\.[0-9]+|ld-linux.*' || true)
[ -z "$needed" ] || complain "it needs more than the C library" $needed
newest=$(objdump -T "$library" | grep -oE 'GLIBC_[0-9.]+' | sort -V | tail -1)
[ "$(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | tail -1)" = GLIBC_2.34 ] || complain "it needs a newer C library than 2.34" "$newest"
forbidden='std(in|out|err)|v?printf|puts|_?exit|abort|signal|sigaction|setlocale|setenv|putenv|getenv|chdir|fork|exec.*|system|popen|dlopen|srand|rand'
used=$(nm -D --undefined-only "$library" | awk '{print $NF}' | sed 's/@.*//' | grep -xE "(__)?($forbidden)(_chk)?" || true)
[ -z "$used" ] || complain "it does things to its process" $used
# models beside it take 10 kB: an FMU has 2.5 MB at most
[ -z "$packed" ] || [ "$(stat -c %s "$packed")" -le 2490000 ] || complain "packed it is too large" "$(stat -c %s "$packed")"
exit $bad
