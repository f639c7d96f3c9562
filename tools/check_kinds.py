#!/usr/bin/env python3
"""Check that a kind is asked, not compared: its enumerators stay in its own files.

    tools/check_kinds.py [ROOT]

Who wants to know something of a joint, a force, a leaf or a shape asks its table. What still compares
is listed below with how often; the list only shrinks.
"""
import os
import re
import sys

# what is looked for: (where it belongs, pattern)
KINDS = {
    "joint": (("src/joint/",), re.compile(r"\bFLX_JOINT_[A-Z0-9_]+")),
    "force": (("src/force/",), re.compile(r"\bFLX_FORCE_[A-Z0-9_]+|[=!]= *&flx_force_\w+")),
    "leaf": (("src/model/leaf",), re.compile(r"\bcase FLX_LEAF_\w+|[=!]= *FLX_LEAF_\w+")),
    "shape": (("src/scene/shape",), re.compile(r"\bcase FLX_SHAPE_\w+|[=!]= *FLX_SHAPE_\w+")),
}
# kind: {file: how often}
REMAIN = {
    "joint": {
        "src/descriptor/descriptor.c": 1,
        "src/descriptor/descriptor_initial.c": 3,
        "src/descriptor/descriptor_pairs.c": 1,
        "src/descriptor/descriptor_read.c": 2,
        "src/descriptor/descriptor_rows.c": 3,
        "src/export/functions.c": 1,
        "src/export/symbolic_closures.c": 4,
        "src/language/block_joints.c": 52,
        "src/language/force_values.c": 2,
        "src/language/friction.c": 7,
        "src/language/items.c": 1,
        "src/language/scope/joint_signals.c": 25,
        "src/model/model_data.h": 2,
        "src/scene/model_scene.c": 4,
        "src/scene/scene_shapes.c": 4,
        "src/simulate/prepare.c": 1,
        "src/simulate/reduce_lump.c": 1,
        "src/tree/topology/tree_links.c": 15,
        "src/tree/topology/tree_topology.c": 16,
        "src/tree/topology/tree_ways.c": 2,
    },
    "leaf": {
        "src/descriptor/descriptor_constraints.c": 4,
        "src/descriptor/descriptor_expr.c": 43,
        "src/descriptor/descriptor_expr_compile.c": 23,
        "src/descriptor/descriptor_instants.c": 2,
        "src/descriptor/descriptor_observe.c": 37,
        "src/descriptor/descriptor_switches.c": 14,
        "src/export/algebraic.c": 1,
        "src/export/functions.c": 7,
        "src/export/leaf_inputs.c": 26,
        "src/export/variables.c": 2,
        "src/joint/joint.c": 1,
        "src/language/block_equations.c": 13,
        "src/language/block_events.c": 18,
        "src/language/block_inputs.c": 1,
        "src/language/block_joints.c": 4,
        "src/language/block_outputs.c": 2,
        "src/language/block_reduce.c": 1,
        "src/language/hoist.c": 3,
        "src/language/load_factors.c": 1,
        "src/language/scope/open.c": 2,
        "src/language/scope/scope.c": 17,
        "src/model/leaves.c": 36,
        "src/model/numbers.c": 4,
        "src/simulate/findings.c": 1,
        "src/simulate/settled.c": 12,
        "src/simulate/signals.c": 7,
        "src/simulate/tell.c": 2,
        "src/tree/tree.c": 1,
    },
    "shape": {
        "src/scene/model_scene.c": 2,
        "src/scene/scene_shapes.c": 1,
    },
}


def find(root):
    """How often each kind is compared in each file where it does not belong."""
    found = {kind: {} for kind in KINDS}
    for where, _, files in sorted(os.walk(os.path.join(root, "src"))):
        for file in sorted(files):
            if not file.endswith((".c", ".h")):
                continue
            path = os.path.join(where, file)
            name = os.path.relpath(path, root)
            with open(path, encoding="utf-8") as f:
                text = re.sub(r"//[^\n]*", "", f.read())
            for kind, (own, pattern) in KINDS.items():
                n = 0 if name.startswith(own) else len(pattern.findall(text))
                if n:
                    found[kind][name] = n
    return found


def main(root):
    problems = []
    found = find(root)
    for kind in KINDS:
        remain = REMAIN.get(kind, {})
        for name in sorted(set(found[kind]) | set(remain)):
            now, allowed = found[kind].get(name, 0), remain.get(name, 0)
            if now > allowed:
                problems.append(f"{name}: compares kinds of {kind} {now} times; ask the table of the kind")
            elif now < allowed:
                print(f"note: {name}: only {now} comparisons of kinds of {kind} are left; say so in REMAIN")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")))
