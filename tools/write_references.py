#!/usr/bin/env python3
"""Write the references of the C library and of the Python package, from the headers and the sources themselves.

    write_references.py [FOLDER]        docs/api: c.md, python.md
    write_references.py --check         every public function and class is in them
"""
import ast
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = os.path.join(ROOT, "include", "flexion")
PACKAGE = os.path.join(ROOT, "python", "flexion")
FUNCTION = re.compile(r"^FLX_API\b[^;{]*?\b(flx_\w+)\s*\(", re.M)


# ---- C --------------------------------------------------------------------------------------------------


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def headers():
    """(name, text) of all, those for users first."""
    found = []
    for folder in ("", "extend"):
        where = os.path.join(HEADERS, folder)
        for name in sorted(os.listdir(where)):
            if name.endswith(".h") and not name.endswith(".in.h"):
                found.append((os.path.join(folder, name), read(os.path.join(where, name))))
    return found


def comment_before(lines, i):
    """The comment right above line i; that of a group of functions counts for each of them."""
    while i > 0 and lines[i - 1].strip() and not lines[i - 1].startswith("//"):
        i -= 1
    text = []
    while i > 0 and lines[i - 1].startswith("//"):
        i -= 1
        text.insert(0, lines[i].strip().lstrip("/").strip())
    return "" if text and text[0].startswith("--") else " ".join(text)


def first_sentence(text):
    end = re.search(r"[.;](\s|$)", text)
    return (text[: end.start()] if end else text).replace("|", "\\|")


def functions(text):
    """(name, what it is for)."""
    lines = text.split("\n")
    for m in FUNCTION.finditer(text):
        line = text.count("\n", 0, m.start())
        yield m.group(1), first_sentence(comment_before(lines, line))


def intro_and_rest(text):
    lines = text.split("\n")
    n = 0
    while n < len(lines) and lines[n].startswith("//"):
        n += 1
    intro = [line[2:].strip() if not line.startswith("//   ") else line[2:] for line in lines[:n]]
    rest = [line for line in lines[n:] if not line.startswith(("#pragma once", "#include"))]
    return "\n".join(intro).strip(), "\n".join(rest).strip("\n")


def write_c():
    out = ["# Reference of the C library", "",
           "All public headers, as they are; what a function does stands above it. `flexion/flexion.h` includes those for users. "
           "How they belong together: [Flexion as a library](../library.md), [from C](../guide/c_library.md).", ""]
    for name, text in headers():
        intro, rest = intro_and_rest(text)
        out += [f"## flexion/{name.replace(os.sep, '/')}", ""]
        title, _, more = (intro.partition(" - ")[2] or intro).partition("\n\n")
        out += [" ".join(title.split()), ""]
        if more.strip():
            out += ["```text", more.strip("\n"), "```", ""]
        table = list(functions(text))
        if table:
            out += ["| function | |", "| --- | --- |"] + [f"| `{f}` | {what} |" for f, what in table] + [""]
        out += ["```c", rest, "```", ""]
    return "\n".join(out)


# ---- Python ---------------------------------------------------------------------------------------------


def exported():
    """(public name, module, name there) of the package."""
    for node in ast.parse(read(os.path.join(PACKAGE, "__init__.py"))).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module and node.module not in ("items", "_flexion"):
            for a in node.names:
                yield (a.asname or a.name).lstrip("_"), node.module, a.name  # _open becomes open


def signature(f, bound):
    args = ast.unparse(f.args)
    if bound:
        args = re.sub(r"^(self|cls)(, )?", "", args)
    result = f" -> {ast.unparse(f.returns)}" if f.returns else ""
    return f"({args}){result}"


def is_property(f):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in f.decorator_list)


def describe_class(name, node):
    out = [f"## {name}", ""]
    base = ", ".join(ast.unparse(b) for b in node.bases)
    out += ["```python", f"class {name}({base})" if base else f"class {name}", "```", "", ast.get_docstring(node) or "", ""]
    fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and not ast.unparse(n.target).startswith("_")]
    if fields:
        out += ["| field | |", "| --- | --- |"]
        out += [f"| `{ast.unparse(n.target)}` | `{ast.unparse(n.annotation)}` |".replace(" | None", " or None") for n in fields] + [""]
    for f in node.body:
        if not isinstance(f, ast.FunctionDef) or (f.name.startswith("_") and f.name != "__init__"):
            continue
        if f.name == "__init__" and len(f.args.args) + len(f.args.kwonlyargs) == 1:
            continue
        head = f.name if is_property(f) else f.name + signature(f, True)
        if is_property(f) and f.returns:
            head += f": {ast.unparse(f.returns)}"
        out += ["```python", head, "```", "", ast.get_docstring(f) or "", ""]
    return out


def write_python():
    out = ["# Reference of the Python package", "",
           "`import flexion as fx`. Examples: [Use it from Python](../guide/python.md). The classes of items, `fx.Rigid`, "
           "`fx.Revolute` and so on, have the keys of the [model language](../reference.md) as keywords, with its words: "
           "`help(fx.Rigid)` lists them. A run, `System.start()`, has the methods `advance`, `step`, `finish`, `reset`, "
           "`save`, `restore`, `clone`, `set_input`, `set_parameter` beside those below.", ""]
    trees = {}
    for public, module, name in exported():
        tree = trees.setdefault(module, ast.parse(read(os.path.join(PACKAGE, module + ".py"))))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                out += describe_class(public, node)
            elif isinstance(node, ast.FunctionDef) and node.name == name:
                out += [f"## {public}", "", "```python", public + signature(node, False), "```", "",
                        ast.get_docstring(node) or "", ""]
    return "\n".join(out)


# ---- all ------------------------------------------------------------------------------------------------


def check(c, python):
    missing = [f for _, text in headers() for f, _ in functions(text) if f"| `{f}` |" not in c]
    missing += [public for public, _, _ in exported() if f"\n## {public}\n" not in python]
    undescribed = sum(1 for _, text in headers() for _, what in functions(text) if not what)
    count = c.count("\n| `flx_")
    print(f"{count} functions of C, {undescribed} without words of their own; {python.count(chr(10) + '## ')} names of Python")
    if missing or count < 100:
        sys.exit("not in the references: " + ", ".join(missing))


def main():
    if len(sys.argv) > 2 or (sys.argv[1:] and sys.argv[1].startswith("-") and sys.argv[1] != "--check"):
        sys.exit(__doc__.strip()) # --help is no folder
    c, python = write_c(), write_python()
    if sys.argv[1:] == ["--check"]:
        return check(c, python)
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "docs", "api")
    os.makedirs(folder, exist_ok=True)
    for name, text in (("c.md", c), ("python.md", python)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text.rstrip("\n") + "\n")
    return None


if __name__ == "__main__":
    main()
