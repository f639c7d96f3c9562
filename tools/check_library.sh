#!/usr/bin/env bash
# The library keeps its hands off the process that it is loaded into: it writes nothing to the terminal, ends nothing,
# catches no signals, starts no program, and sets no folder, locale, environment, random numbers or threads of others.
#   tools/check_library.sh LIBRARY    (the shared one)
set -eu
library=$1

forbidden='stderr|stdin|v?printf|puts|putchar|perror|psignal|v?dprintf|err|errx|warn|warnx|syslog'
forbidden+='|_?exit|_Exit|quick_exit|at_quick_exit|atexit|abort|__assert_fail|__assert|raise|longjmp'
forbidden+='|signal|sigaction|sigprocmask|pthread_sigmask|alarm|setitimer'
forbidden+='|f?chdir|chroot|umask|setlocale|setenv|unsetenv|putenv|clearenv|tzset|srand|srandom|srand48|rand|random|drand48'
forbidden+='|system|popen|v?fork|exec[vl][pe]*|posix_spawnp?|kill|getenv|dlopen|setrlimit|setpriority|nice|fesetround|fesetenv|feenableexcept'
forbidden+='|H5close|omp_set_num_threads|goto_set_num_threads'
# What is meant: by file, as `nm` names the objects of the static library. stdout is where a user asked for the file "-";
# the threads of BLAS and
# the messages of HDF5 are put back behind our calls.
looked_at='stdout|openblas_set_num_threads|uselocale|H5Eset_auto2'
allowed='output_file\.c stdout|blas\.c openblas_set_num_threads|number\.c uselocale|hdf5_values\.c H5Eset_auto2'

bad=$(nm -D --undefined-only "$library" | awk '{print $NF}' | sed 's/@.*//' | grep -xE "(__)?($forbidden)(_chk)?" || true)
[ -z "$bad" ] || echo "the library must not use:" $bad

archive=${library%.so*}.a
used=$(nm -A -u "$archive" | sed -nE "s/^.*:([^:]+)\.o: +U ($looked_at)(@.*)?$/\1 \2/p" | grep -vxE "$allowed" || true)
[ -z "$used" ] || echo "only named files may use these:" "$used"

# What is made for wide registers, too, is in all files that ask for it (src/base/two_widths.h), or in none: sanitizers, other processors.
made=$(nm "$archive" 2>/dev/null | awk '{print $NF}' | grep -F '.avx2' || true)
asked=$(grep -rhoE 'FLX_TWO_WIDTHS static [a-z_]+ [a-z_]+' "$(dirname "$0")/../src" | awk '{print $NF}')
narrow=
for name in $asked; do
    [ -z "$made" ] || grep -q "^$name\.avx2" <<<"$made" || narrow+=" $name"
done
[ -z "$narrow" ] || echo "made for narrow registers alone:$narrow"
[ -z "$bad$used$narrow" ]
