"""Finds every regular expression in the source, and generates the inputs that make such an expression slow."""

import ast
import gc
import importlib
import itertools
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

import sitewright

ROOT = Path(sitewright.__file__).parent
FUNCTIONS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
ANCHORED = {"match", "fullmatch"}
LENGTHS = (20, 200, 1000, 4000)
"""Short ones first, since an exponential expression would never finish with a long one."""
SUSPICIOUS_SECONDS = 0.01
"""Linear expressions take less than a tenth of it for the longest input."""
MOST_GROWTH = 8.0
"""The factor of the time from a quarter of the length: 4 if linear, 16 if quadratic."""
_MARKS = re.compile(rf"\.(?:{'|'.join(FUNCTIONS)})\b|\bpattern=")
GENERIC = ' a0"\\<-.\n'
MOST_CHARACTERS = 8
MOST_PREFIXES = 10


class Expression(msgspec.Struct, frozen=True):
    place: str
    pattern: str | bytes
    flags: int
    is_searched: bool
    """Matched at every position of a text, not only at its beginning."""


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Python 3.11 fails to parse if another thread runs during a collection (python/cpython issue 106905)."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def expressions() -> list[Expression]:
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(ROOT.rglob("*.py"))}
    with _no_garbage_collection():
        trees = {file: ast.parse(text) for file, text in texts.items() if _MARKS.search(text)}
    uses = _uses(trees.values())
    return [found for file, tree in trees.items() for found in _of_module(file, tree, uses)]


def _uses(trees: Any) -> dict[str, set[str]]:
    """Which functions of expressions are called on a name, in any module that imports it."""
    uses: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in FUNCTIONS:
                uses.setdefault(node.value.id, set()).add(node.attr)
    return uses


def _of_module(file: Path, tree: ast.Module, uses: dict[str, set[str]]) -> Iterator[Expression]:
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    name = file.relative_to(ROOT.parent)
    for node in parents:
        if isinstance(node, ast.keyword) and node.arg == "pattern":
            yield Expression(f"{name}:{node.lineno}", _value(node.value, file), 0, is_searched=True)
        elif isinstance(node, ast.Call) and _is_of_re(node.func):
            function = node.func.attr  # type: ignore[attr-defined]
            used = {function} if function != "compile" else _used(node, parents, uses)
            flags = _flags(node, function, file)
            yield Expression(f"{name}:{node.lineno}", _value(node.args[0], file), flags, not used <= ANCHORED)


def _is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in FUNCTIONS
    )


def _used(call: ast.Call, parents: dict[ast.AST, ast.AST], uses: dict[str, set[str]]) -> set[str]:
    """How a compiled expression is used; if that is unknown, it counts as searched."""
    parent = parents[call]
    if isinstance(parent, ast.Attribute):
        return {parent.attr}
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        return uses.get(parent.targets[0].id, {"search"})
    return {"search"}


def _flags(call: ast.Call, function: str, file: Path) -> int:
    given = [each.value for each in call.keywords if each.arg == "flags"]
    position = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(function, 2)
    return int(_value((given or call.args[position : position + 1] or [ast.Constant(0)])[0], file))


def _value(node: ast.expr, file: Path) -> Any:
    """Resolves constants of the module; an expression made of anything else cannot be tested."""
    names = vars(_module(file))
    try:
        return eval(compile(ast.Expression(ast.fix_missing_locations(node)), str(file), "eval"), names)  # noqa: S307
    except NameError as unknown:
        raise AssertionError(f"{file}:{node.lineno}: make the expression a constant of the module: {unknown}") from None


@cache
def _module(file: Path) -> ModuleType:
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    return importlib.import_module(".".join(parts).removesuffix(".__init__"))


def slow_input(expression: Expression) -> str | None:
    """An input for which the time grows faster than the length, if one of the worst cases is such an input."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = re.compile(expression.pattern, expression.flags)
        tree = parser.parse(expression.pattern, expression.flags)
    if not _repeats(tree):
        return None
    function = _scan(compiled) if expression.is_searched else compiled.fullmatch
    for prefix, unit, tail in _worst_cases(tree):
        for length in LENGTHS:
            text = _text(prefix, unit, tail, length, expression)
            if _seconds(function, text) < SUSPICIOUS_SECONDS:
                continue
            shorter = _text(prefix, unit, tail, length // 4, expression)
            taken = min(_seconds(function, text) for _ in range(3))
            if taken > SUSPICIOUS_SECONDS and taken > MOST_GROWTH * min(_seconds(function, shorter) for _ in range(3)):
                return f"{prefix!r} + {length} characters of {unit!r} + {tail!r}: {taken:.3f} s"
    return None


def _repeats(tree: Any) -> bool:
    """Whether there is a repetition, without which nothing can be slow."""
    return "REPEAT" in str(tree)


def _scan(compiled: re.Pattern[Any]) -> Callable[[Any], Any]:
    return lambda text: deque(compiled.finditer(text), maxlen=0)


def _text(prefix: str, unit: str, tail: str, length: int, expression: Expression) -> Any:
    text = prefix + unit * (length // len(unit)) + tail
    return text.encode("latin-1", "replace") if isinstance(expression.pattern, bytes) else text


def _seconds(function: Callable[[Any], Any], text: Any) -> float:
    started = time.thread_time()
    function(text)
    return time.thread_time() - started


def _worst_cases(tree: Any) -> Iterator[tuple[str, str, str]]:
    """Each character that the expression knows, each pair of them and each prefix, repeated; after every prefix that
    leads to a repetition, and before suffixes that do not match."""
    characters = list(dict.fromkeys([*_characters(tree), *GENERIC]))[:MOST_CHARACTERS]
    beginnings = [each for each in dict.fromkeys(_prefixes(tree)) if each][-MOST_PREFIXES:]
    pairs = ["".join(pair) for pair in itertools.permutations(characters[:6], 2)]
    yield from itertools.product(["", *beginnings], [*characters, *pairs, *beginnings], ("\x00", ""))
    tails = [first + second for first, second in itertools.product(("", "a"), characters)]
    yield from itertools.product(["", *beginnings], characters, tails)


def _prefixes(tree: Any) -> Iterator[str]:
    """Texts that lead to each further part of a sequence, with repetitions both omitted and taken once."""
    least = once = ""
    for node in _flat(tree):
        yield least
        yield once
        least += _example(node, 0)
        once += _example(node, 1)
    yield once


def _flat(tree: Any) -> Iterator[Any]:
    for operation, argument in tree:
        if operation is sre.SUBPATTERN:
            yield from _flat(argument[3])
        elif operation is sre.BRANCH:
            yield from max((list(_flat(each)) for each in argument[1]), key=len)
        else:
            yield operation, argument


REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def _example(node: Any, times: int) -> str:
    """A text that matches one part."""
    operation, argument = node
    if operation in REPEATS:
        return "".join(_example(each, times) for each in _flat(argument[2])) * max(int(argument[0]), times)
    if operation is sre.ATOMIC_GROUP:
        return "".join(_example(each, times) for each in _flat(argument))
    return next(iter(_characters([node])), "") if operation in ONE_CHARACTER else ""


ONE_CHARACTER = (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY)
SAMPLES = [chr(code) for code in (*range(97, 123), *range(48, 58), *range(32, 127), 9, 10, 13, 0, 0x7F, 0xA0, 0xE9)]


def _characters(tree: Any) -> Iterator[str]:
    """One for each class, literal and separator."""
    for operation, argument in tree:
        if operation is sre.LITERAL:
            yield chr(argument)
        elif operation in ONE_CHARACTER:
            yield from itertools.islice((each for each in SAMPLES if _fits(operation, argument, each)), 1)
        else:
            for inner in _inside(operation, argument):
                yield from _characters(inner)


def _inside(operation: Any, argument: Any) -> list[Any]:
    """The sequences that a group, a repetition, an alternative or an assertion is made of."""
    if operation is sre.BRANCH:
        return list(argument[1])
    places = {sre.SUBPATTERN: 3, sre.ASSERT: 1, sre.ASSERT_NOT: 1} | dict.fromkeys(REPEATS, 2)
    if operation in places:
        return [argument[places[operation]]]
    return [argument] if operation is sre.ATOMIC_GROUP else []


def _fits(operation: Any, argument: Any, character: str) -> bool:
    if operation is sre.ANY:
        return character != "\n"
    if operation is sre.NOT_LITERAL:
        return bool(ord(character) != argument)
    negated = argument[0][0] is sre.NEGATE
    return negated != any(_is_member(kind, value, character) for kind, value in argument)


CATEGORIES = {
    sre.CATEGORY_DIGIT: str.isdigit,
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_WORD: lambda each: each.isalnum() or each == "_",
}
OTHERS = {
    sre.CATEGORY_NOT_DIGIT: lambda each: not each.isdigit(),
    sre.CATEGORY_NOT_SPACE: lambda each: not each.isspace(),
    sre.CATEGORY_NOT_WORD: lambda each: not (each.isalnum() or each == "_"),
}


def _is_member(kind: Any, value: Any, character: str) -> bool:
    if kind is sre.LITERAL:
        return bool(ord(character) == value)
    if kind is sre.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if kind is sre.CATEGORY:
        return bool((CATEGORIES | OTHERS)[value](character))
    return False
