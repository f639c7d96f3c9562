"""The guide's page runs: as it is, and as a notebook in which the page appears."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT


def blocks():
    text = (ROOT / "docs/guide/python.md").read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.S | re.M)


def test_the_page_of_the_guide_runs(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    os.symlink(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks():
        try:
            exec(compile(block, "python.md", "exec"), names)
        except names["fx"].Unavailable:  # built without NLopt
            assert ".design(" in block
    assert (tmp_path / "rod.yaml").exists() and (tmp_path / "crank.h5").exists()
    assert abs(names["run"]["hinge.angle"] - 0.3) < 1e-9
    assert names["lin"].A.shape == (2, 2) and not names["table"].failed


def test_the_page_of_the_guide_is_a_notebook(tmp_path):
    """By nbconvert, headless; a browser shows a page that is not blank."""
    if not os.environ.get("FLX_NOTEBOOK"):
        pytest.skip("longer: make check-long sets FLX_NOTEBOOK")
    pytest.importorskip("nbconvert")
    os.symlink(ROOT / "examples", tmp_path / "examples")
    sources = [b.splitlines(True) for b in [*blocks(), "res"]]
    cells = [{"cell_type": "code", "id": f"c{i}", "metadata": {}, "execution_count": None, "outputs": [], "source": s}
             for i, s in enumerate(sources)]
    book = {"nbformat": 4, "nbformat_minor": 5, "cells": cells,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}
    (tmp_path / "guide.ipynb").write_text(json.dumps(book))
    environment = dict(os.environ, PYTHONPATH=os.path.abspath(os.environ["FLX_PYTHON_PACKAGE"]), HOME=str(tmp_path))
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "guide.ipynb"], cwd=tmp_path,
                   env=environment, check=True, capture_output=True, timeout=120)
    text = (tmp_path / "guide.html").read_text()
    frame = re.search(r'<iframe srcdoc="([^"]*)"', text)
    assert frame
    if not shutil.which("chromium"):
        pytest.skip("no chromium")
    import html

    (tmp_path / "page.html").write_text(html.unescape(frame[1]))
    subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader",
                    "--window-size=900,500", "--virtual-time-budget=8000", "--screenshot=page.png", "page.html"],
                   cwd=tmp_path, env=dict(environment), capture_output=True, timeout=120)
    numpy = pytest.importorskip("numpy")
    image = pytest.importorskip("matplotlib.image").imread(tmp_path / "page.png")
    assert image[..., :3].std() > 0.02 and len(numpy.unique(image[..., :3].reshape(-1, 3), axis=0)) > 50
