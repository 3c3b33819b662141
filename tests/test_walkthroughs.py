"""The walkthroughs in docs/architecture.md name files and functions that exist, and at most six files each."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sitewright"
MOST_FILES = 6
CALLS = {"Assigning a package", "Publishing a site", "Logging in", "Delivering a webhook"}
SECTION = re.compile(r"^### (?P<title>[^\n]+)\n(?P<body>.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\d+\. (?P<text>.*?)(?=^\d+\. |\n\n|\Z)", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w/]+\.(?:py|sql))`")
FUNCTION = re.compile(r"`([\w.]+)\(\)`")


def walkthroughs() -> dict[str, list[str]]:
    """The steps of each walkthrough, by its title."""
    document = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    chapter = document.partition("\n## Walkthroughs\n")[2]
    chapter = re.split(r"^## ", chapter, maxsplit=1, flags=re.MULTILINE)[0]
    return {
        match["title"]: [step["text"] for step in STEP.finditer(match["body"])] for match in SECTION.finditer(chapter)
    }


def defined_in(file: Path) -> set[str]:
    """Names of functions (methods as `Class.method`) in a Python file, or of functions that a SQL file creates."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".sql":
        return set(re.findall(r"create (?:or replace )?function ([\w.]+)", source))
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            functions = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
            names |= {f"{node.name}.{each.name}" for each in functions}
    return names


def test_each_call_has_a_walkthrough() -> None:
    assert set(walkthroughs()) == CALLS


@pytest.mark.parametrize("title", sorted(CALLS))
def test_walkthrough_names_what_exists(title: str) -> None:
    steps = walkthroughs()[title]
    assert len(steps) >= 3
    for step in steps:
        files = FILE.findall(step)
        assert len(files) == 1, f"a step is about one file: {step}"
        assert (SOURCE / files[0]).is_file(), f"{files[0]} does not exist"
        functions = FUNCTION.findall(step)
        assert functions, f"a step names its functions: {step}"
        assert set(functions) <= defined_in(SOURCE / files[0]), step


@pytest.mark.parametrize("title", sorted(CALLS))
def test_walkthrough_needs_at_most_six_files(title: str) -> None:
    files = {file for step in walkthroughs()[title] for file in FILE.findall(step)}
    assert len(files) <= MOST_FILES


@pytest.mark.parametrize("title", sorted(CALLS))
def test_files_of_a_walkthrough_are_connected(title: str) -> None:
    """Each Python file after the first is imported by one of the others, or is handed over by the composition."""
    files = {file for step in walkthroughs()[title] for file in FILE.findall(step) if file.endswith(".py")}
    modules = {"sitewright." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for file in files}
    imported = {
        module
        for file in files | {"app.py", "features.py", "processes.py", "kit/resources.py"}
        for module in imports_of(SOURCE / file)
    }
    assert modules - imported == set()


def imports_of(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return found
