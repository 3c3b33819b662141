"""`make check`: lists files and functions that should be split. It never fails the check."""

import ast
import subprocess
import sys
from pathlib import Path

MAX_FILE, MAX_FUNCTION = 400, 50


def hints(path: Path) -> list[str]:
    text = path.read_text()
    lines = text.count("\n")
    found = [f"{path}: {lines} lines"] if lines > MAX_FILE else []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            length = node.end_lineno - node.lineno + 1
            if length > MAX_FUNCTION:
                found.append(f"{path}:{node.lineno} {node.name}: {length} lines")
    return found


def main() -> None:
    tracked = subprocess.run(["git", "ls-files", "*.py"], capture_output=True, text=True, check=True).stdout.split()
    for hint in [hint for path in tracked if Path(path).exists() for hint in hints(Path(path))]:
        sys.stdout.write(f"asks to be split: {hint}\n")


if __name__ == "__main__":
    main()
