#!/usr/bin/env python3
"""Check that every #include follows the layers of docs/dev/map.md, and that names of files and types, and folders are fit to be found.

    tools/check_layers.py [ROOT]

A folder of src/ may include itself, the folders listed for it, the public headers listed for it and
the libraries that are its own to call. Exceptions are single files, listed by name.
"""
import os
import re
import sys

# folder: (folders of src/, public headers ("*": all), libraries)
LAYERS = {
    "base": ([], ["base", "output"], ["valgrind/memcheck.h", "sanitizer/asan_interface.h"]),
    "math": (["base"], ["base", "system"], ["lapacke.h", "cblas.h", "amd.h", "klu.h", "metis.h"]),
    "expr": (["base", "math"], ["base"], []),
    "reduce": (["base", "math"], ["base", "reduction"], ["lapacke.h", "cblas.h"]),
    "model": (["base", "math", "expr", "reduce"], ["base", "fmi", "model", "reduction", "scene", "system", "integrator"], []),
    "read": (["base", "math", "reduce", "model"], ["base", "fmi", "model", "scene"], ["yaml.h", "expat.h", "zlib.h"]),
    "body": (["base", "math", "expr", "reduce", "model"], ["base", "system"], []),
    "contact": (["base", "math", "expr", "model"], ["base", "system"], []),
    "joint": (["base", "math", "expr", "model", "contact"], ["base", "joints", "system"], []),
    "force": (["base", "math", "expr", "model", "contact", "joint"], ["base", "system"], []),
    "fe": (["base", "math", "reduce", "model"], ["base", "fe", "results"], []),
    "scene": (["base", "math", "model", "contact", "joint", "force"], ["base", "scene"], []),
    "language": (["base", "math", "expr", "reduce", "model", "read", "body", "contact", "joint", "force", "fe", "results"], ["base", "build", "cache", "fmi", "joints", "model", "particles", "reduction", "sample", "scene", "system", "integrator"], ["pthread.h"]),
    "system": (["base", "math", "expr", "model"], ["base", "system"], []),
    "descriptor": (["base", "math", "expr", "reduce", "model", "body", "contact", "joint", "force", "system"], ["base", "system"], []),
    "tree": (["base", "math", "expr", "reduce", "model", "body", "contact", "joint", "force", "system", "descriptor"], ["base", "dynamics", "system"], []),
    "reduced": (["base", "math", "system"], ["base", "system"], []),
    "export": (["base", "math", "expr", "reduce", "model", "contact", "joint", "force", "descriptor", "tree"], ["base", "model", "export"], []),
    "control": (["base", "math"], ["base", "control"], []),
    "spectrum": (["base", "math"], ["base", "signal_spectrum"], []),
    "integrate": (["base", "math"], ["base", "system", "integrator", "methods"], []),
    "analyse": (["base", "math", "integrate"], ["base", "analysis", "system", "integrator", "linear"], []),
    "particles": (["base", "contact"], ["base", "particles"], ["pthread.h"]),
    "results": (["base", "reduce", "scene"], ["base", "results", "scene", "simulation"], ["hdf5.h", "H5FDdevelop.h"]),
    "draw": (["base", "math", "results", "compare", "certify"], ["base", "reduction", "results", "scene", "compare", "study", "certificate"], ["zlib.h"]),
    "page": (["base", "math", "results", "draw"], ["base", "results", "scene"], ["zlib.h"]),
    "simulate": (["base", "math", "expr", "model", "contact", "joint", "force", "scene", "system", "descriptor", "tree", "reduced", "integrate", "analyse", "particles", "certify"], ["*"], []),
    "certify": (["base", "math", "integrate", "analyse", "simulate"], ["*"], []),
    "optimise": (["base", "math", "expr", "model"], ["*"], ["pthread.h"]),
    "compare": (["base", "math", "simulate", "results"], ["*"], []),
    "study": (["base"], ["base", "folder"], []),
    "studio": (["base", "page"], ["*"], ["ftw.h"]),
    "fmi": (["base", "math", "model", "read", "integrate", "simulate", "results"], ["*"], ["zlib.h"]),
    "mpi": (["base", "math", "cli"], ["*"], ["mpi.h", "dmumps_c.h", "zmumps_c.h"]),
    "cli": (["draw", "page", "studio", "fmi"], ["*"], []),
}
# A joint or a force sees frames, not bodies.
SHARED = {"body/frame.h": ["contact", "joint", "force"]}
EXCEPTIONS = {
    # names the versions of all libraries
    "results/build_facts.c": ["yaml.h", "amd.h", "klu.h", "cblas.h"],
    # the hulls that are Qhull's
    "contact/convex/hull.c": ["libqhull_r/qhull_ra.h"],
    # HDF5 bears one thread at a time
    "results/body_file.c": ["pthread.h"],
    # threads that share the work of one front
    "math/frontal/front_crew.c": ["pthread.h"],
    # one instance of an FMU serves all threads
    "model/fmu/fmu_live.c": ["pthread.h"],
    "base/memory_spare.c": ["pthread.h", "malloc.h"],
    # nonlinear programs, by IPOPT, which bears one thread at a time
    "math/nlp/nlp_ipopt.c": ["IpStdCInterface.h", "pthread.h"],
    # what takes the place of KLU inside FMUs
    "fmi/runtime/instead/klu_instead.c": ["klu.h", "amd.h", "colamd.h"],
    # threads of runs
    "simulate/ensemble.c": ["pthread.h"],
    # compiled equations, and FMUs, are loaded
    "cli/sweep/sweep_device.c": ["dlfcn.h"],
    "cli/sweep/sweep_starts.c": ["pthread.h", "stdatomic.h"],
    "cli/fmu/fmu_host.c": ["dlfcn.h", "ftw.h"],
    # external functions of models
    "cli/plugins.c": ["dlfcn.h", "link.h"],
    # the methods that are SUNDIALS'
    "integrate/multistep/adams.c": ["cvode/cvode.h", "sunnonlinsol/sunnonlinsol_fixedpoint.h"],
    "integrate/multistep/bdf.h": ["ida/ida.h", "sundials/sundials_linearsolver.h", "sundials/sundials_matrix.h"],
    "integrate/multistep/sundials.c": ["nvector/nvector_serial.h"],
    "integrate/multistep/sundials.h": ["sundials/sundials_context.h", "sundials/sundials_nvector.h"],
    # small nonlinear programs, by NLopt
    "math/nlp/small_nlopt.c": ["nlopt.h"],
}
# What C17 and POSIX offer; the kernels need no more than mathematics and memory.
SYSTEM = {
    "assert.h", "complex.h", "ctype.h", "errno.h", "fcntl.h", "float.h", "inttypes.h", "limits.h",
    "locale.h", "math.h", "signal.h", "spawn.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "string.h", "strings.h", "sys/mman.h", "sys/resource.h", "sys/stat.h", "sys/types.h", "sys/wait.h", "time.h",
    "unistd.h", "dirent.h", "sys/ioctl.h", "sys/utsname.h",
    "arpa/inet.h", "netinet/in.h", "poll.h", "sched.h", "sys/socket.h", "sys/time.h",
}
# Headers for those who write a system, a method or a sink: who may have what users have may have them.
EXTENDED = {"extend/system_table": "system", "extend/method_table": "integrator", "extend/sink_table": "results"}
MOST = 40  # files per folder
KERNELS = {"body", "contact", "joint", "force"}
KERNEL_SYSTEM = {"math.h", "string.h", "stdbool.h", "stddef.h", "float.h", "assert.h", "complex.h"}

TAG = re.compile(r"\b(?:struct|enum|union)\s+(flx_\w+)\s*\{")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def includes(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1), match.group(2)


def check_private(name, folder, quoted, bracketed):
    """What is wrong with one include of src/NAME, or None."""
    folders, public, libraries = LAYERS[folder]
    if bracketed:
        if bracketed in libraries or bracketed in EXCEPTIONS.get(name, []):
            return None
        if folder in KERNELS and bracketed not in KERNEL_SYSTEM:
            return f"<{bracketed}>: kernels use mathematics and memory only"
        return None if bracketed in SYSTEM else f"<{bracketed}> is not for {folder}"
    if quoted in EXCEPTIONS.get(name, []) or folder in SHARED.get(quoted, []):
        return None
    top = quoted.split("/")[0]
    if top == "flexion":
        header = os.path.splitext(quoted[len("flexion/"):])[0]
        header = EXTENDED.get(header, header)
        return None if "*" in public or header in public else f'"{quoted}" is not for {folder}'
    if "/" not in quoted:
        return f'"{quoted}": private headers are included from the root of src/'
    if top == folder or top in folders:
        return None
    return f'{folder} may not include {top} ("{quoted}")'


def check_names(root):
    """One name for one file, and rooms that can be overlooked."""
    problems, seen = [], {}
    for top in ("include", "src"):
        for where, _, files in sorted(os.walk(os.path.join(root, top))):
            if len(files) > MOST:
                problems.append(f"{os.path.relpath(where, root)}: {len(files)} files; more than {MOST} are no room")
            if top == "src" and os.path.relpath(where, root) != "src" and "README.md" not in files:
                problems.append(f"{os.path.relpath(where, root)}: it has no README.md")
            for file in files:
                if file.endswith((".c", ".h", ".def")):
                    place = os.path.relpath(os.path.join(where, file), root)
                    if seen.setdefault(file, place) != place:
                        problems.append(f"{place}: there is a {seen[file]} already")
    return problems


def check_tags(root):
    """One name for one type: no struct, enum or union flx_x is defined twice."""
    problems, seen = [], {}
    for top in ("include", "src"):
        for where, _, files in sorted(os.walk(os.path.join(root, top))):
            for file in sorted(files):
                if not file.endswith((".c", ".h")):
                    continue
                place = os.path.relpath(os.path.join(where, file), root)
                with open(os.path.join(where, file), encoding="utf-8") as f:
                    for tag in TAG.findall(f.read()):
                        if seen.setdefault(tag, place) != place:
                            problems.append(f"{place}: {tag} is also defined in {seen[tag]}")
    return problems


def main(root):
    problems = []
    src = os.path.join(root, "src")
    for where, _, files in sorted(os.walk(src)):
        folder = os.path.relpath(where, src).split(os.sep)[0]
        for file in sorted(files):
            if not file.endswith((".c", ".h", ".def")):
                continue
            path = os.path.join(where, file)
            if folder not in LAYERS:
                problems.append(f"{os.path.relpath(path, root)}: folder '{folder}' has no layer")
                continue
            name = os.path.relpath(path, src)
            for line, quoted, bracketed in includes(path):
                wrong = check_private(name, folder, quoted, bracketed)
                if wrong:
                    problems.append(f"src/{name}:{line}: {wrong}")
    problems += check_names(root) + check_tags(root)
    public = os.path.join(root, "include", "flexion")
    headers = [os.path.relpath(os.path.join(where, file), public) for where, _, files in os.walk(public) for file in files]
    for file in sorted(headers):
        for line, quoted, bracketed in includes(os.path.join(public, file)):
            if quoted and not quoted.startswith("flexion/"):
                problems.append(f"include/flexion/{file}:{line}: public headers include public ones")
            if bracketed and bracketed not in SYSTEM:
                problems.append(f"include/flexion/{file}:{line}: <{bracketed}> is not standard C")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")))
