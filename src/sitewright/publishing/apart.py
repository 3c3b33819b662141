"""Templates of tenants, in a process of their own: in a sandbox of the language, and within limits of the system.

A sandbox keeps a template from reaching what it should not; it does not keep it from running for ever or filling the
memory. So a child renders, which the system ends when it uses too much of either.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import msgspec
import yaml
from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sitewright.publishing.designs import SHARED, Folders, design_of
from sitewright.publishing.errors import TemplateFailed
from sitewright.publishing.material import File, Material
from sitewright.publishing.rendering import Rendering, RenderingTookTooLong

CPU_SECONDS, WALL_SECONDS = 10, 20
MEMORY = 768 * 1024 * 1024
MOST_OUTPUT = 64 * 1024 * 1024


class Order(msgspec.Struct, frozen=True):
    folder: str
    material: Material
    is_preview: bool


class Made(msgspec.Struct, frozen=True):
    """What the child gives back: files, or the one page of a preview, or why there are none."""

    files: list[File] = []
    page: str = ""
    fault: str = ""


def render_apart(material: Material, folder: Path, *, is_preview: bool) -> Made:
    """Blocks until the child is done. Raises `TemplateFailed`."""
    order = msgspec.msgpack.encode(Order(str(folder), material, is_preview))
    command = [sys.executable, "-I", "-m", "sitewright.publishing.apart"]
    clean = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
    try:
        child = subprocess.run(command, input=order, capture_output=True, timeout=WALL_SECONDS, env=clean, check=False)
    except subprocess.TimeoutExpired:
        raise TemplateFailed("The template takes too long. Mend it, or choose another.") from None
    if child.returncode != 0:
        raise TemplateFailed("The template takes too long or too much memory. Mend it, or choose another.")
    made = msgspec.msgpack.decode(child.stdout, type=Made)
    if made.fault:
        raise TemplateFailed(f"The template has a fault: {made.fault}. Mend it, or choose another.")
    return made


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def make(order: Order) -> Made:
    """In the sandbox of the language. What is wrong with the template comes back as a fault."""
    try:
        return _render(order)
    except RenderingTookTooLong:
        return Made(fault="it takes too long")
    except (TemplateError, yaml.YAMLError, OSError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        return Made(fault=_fault(error))


def _render(order: Order) -> Made:
    folder = Path(order.folder)
    environment = ImmutableSandboxedEnvironment(
        loader=Folders(folder, SHARED), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    rendering = Rendering(order.material, design_of(folder, environment), is_preview=order.is_preview)
    return Made(page=rendering.home_page()) if order.is_preview else Made(files=rendering.files())


def _fault(error: Exception) -> str:
    line = f", line {error.lineno}" if hasattr(error, "lineno") else ""
    return f"{type(error).__name__}{line}: {error}".splitlines()[0][:300]


def main() -> None:
    order = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Order)
    _limit()
    output = msgspec.msgpack.encode(make(order))
    if len(output) > MOST_OUTPUT:
        output = msgspec.msgpack.encode(Made(fault="its pages are too large"))
    sys.stdout.buffer.write(output)


if __name__ == "__main__":
    main()
