"""mkdocs hook: put KaTeX, as Debian packages it, beside the pages, so that they render offline."""
import glob
import os
import shutil

SOURCE = "/usr/share/javascript/katex"
RENDER = """document.addEventListener("DOMContentLoaded", function () {
  renderMathInElement(document.body, {
    delimiters: [
      {left: "\\\\(", right: "\\\\)", display: false},
      {left: "\\\\[", right: "\\\\]", display: true},
    ],
    throwOnError: false,
  });
});
"""


def on_post_build(config, **kwargs):
    target = os.path.join(config["site_dir"], "katex")
    os.makedirs(os.path.join(target, "fonts"), exist_ok=True)
    for name in ("katex.min.css", "katex.min.js", "contrib/auto-render.js"):
        shutil.copy(os.path.join(SOURCE, name), target)
    for font in glob.glob(os.path.join(SOURCE, "fonts", "*.woff2")):
        shutil.copy(font, os.path.join(target, "fonts"))
    with open(os.path.join(target, "render.js"), "w", encoding="utf-8") as file:
        file.write(RENDER)
