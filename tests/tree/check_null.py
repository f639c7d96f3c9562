#!/usr/bin/env python3
"""Every public function that is called with NULL and zeros returns: it refuses what it cannot do without, and does not crash.

    check_null.py INCLUDE LIBRARY COMPILER

The calls are made from the headers, each in a process of its own: once without a context, once with one.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

# For those who write methods: called by the library with what it has made.
LEFT_OUT = {"flx_memory_pass"}
NUMBERS = {"int", "long", "double", "size_t", "unsigned", "float", "uint64_t"}
HEAD = """#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
"""


def read(folder):
    """All headers as one text without comments, and their names as they are included."""
    paths = sorted(glob.glob(folder + "/flexion/*.h") + glob.glob(folder + "/flexion/extend/*.h"))
    text = ""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text += " ".join(re.sub(r"//.*", "", file.read()).split()) + " "
    return text, [os.path.relpath(path, folder) for path in paths]


def split(text):
    """The parameters of a declaration that begins with them."""
    parts, depth, part = [], 0, ""
    for sign in text:
        if sign == ")" and depth == 0:
            break
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += sign
    parts.append(part.strip())
    return [] if parts == ["void"] else parts


def nothing(parameter, with_context, enums):
    if re.match(r"flx_ctx \*(?!\*)", parameter) and with_context:
        return "ctx"
    if "*" in parameter or "[" in parameter:
        return "0"
    kind = parameter.rsplit(" ", 1)[0].replace("const ", "").strip()
    return "0" if kind in NUMBERS or kind in enums or kind.endswith("_callback") else f"({kind}){{0}}"


def program(folder):
    text, headers = read(folder)
    enums = set(re.findall(r"typedef enum (flx_\w+)", text))
    lines = []
    for found in re.finditer(r"FLX_API [^;(]*?\b(flx_\w+)\(", text):
        name, parameters = found.group(1), split(text[found.end():])
        if name in LEFT_OUT:
            continue
        ways = {", ".join(nothing(p, way, enums) for p in parameters) for way in (False, True)}
        lines += [f"    CALL({name}, ({arguments}));" for arguments in sorted(ways)]
    if len(lines) < 300:
        sys.exit(f"{len(lines)} calls were found in {folder}: declarations have another form now")
    includes = "".join(f"#include <{header}>\n" for header in headers)
    return HEAD + includes + """
#define CALL(name, arguments) do { fflush(NULL); pid_t child = fork(); if (child == 0) { alarm(20); \\
    if (!freopen("/dev/null", "w", stdout)) _exit(1); (void)name arguments; _exit(0); } \\
    int status = 0; waitpid(child, &status, 0); \\
    if (WIFSIGNALED(status)) { printf("%s%s ends with signal %d\\n", #name, #arguments, WTERMSIG(status)); bad++; } } while (0)
int main(void)
{
    int bad = 0;
    flx_ctx *ctx = flx_ctx_create();
""" + "\n".join(lines) + "\n    flx_ctx_destroy(&ctx);\n    return bad > 0;\n}\n"


def main(folder, library, compiler):
    with tempfile.TemporaryDirectory() as work:
        source, binary = os.path.join(work, "null.c"), os.path.join(work, "null")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program(folder))
        subprocess.run([compiler, "-std=gnu17", "-w", source, "-I" + folder, library,
                        "-Wl,-rpath," + os.path.dirname(os.path.abspath(library)), "-lm", "-o", binary], check=True)
        return subprocess.run([binary], check=False, cwd=work).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
