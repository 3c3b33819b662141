"""Rendering in a process of its own: templates of tenants in a sandbox of the language, and large sites; within limits
of the system.

A sandbox keeps a template from reaching what it should not; it does not keep it from running for ever or filling the
memory. So a child renders, which the system ends when it uses too much of either. A large site in one of the service's
own templates would hold the interpreter lock of the process that answers everybody: a child at low priority renders it
instead (decision 0040).
"""

import logging
import resource
import subprocess
import sys
from pathlib import Path
from typing import Literal

import msgspec
import yaml
from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sitewright.sites.publishing.budget import DEFAULT_LIMITS, SECONDS, STORED_BYTES, Limits, RenderingTooLarge
from sitewright.sites.publishing.designs import SHARED, Design, Folders, builtin_design, design_of, is_builtin
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.publishing.material import File, Source
from sitewright.sites.publishing.rendering import Rendering
from sitewright.sites.publishing.spares import Spares
from sitewright.sites.publishing.warnings import Reason, about_widgets

CPU_SECONDS = 10
"""For a template of a tenant; one of the service's own has as long as rendering has."""
WALL_SECONDS = 120
MEMORY = 768 * 1024 * 1024
MOST_OUTPUT = STORED_BYTES + 8 * 1024 * 1024
NICENESS = 5
Wanted = Literal["files", "page", "check"]
"""All of a snapshot; the one page of a preview; or only whether there would be a snapshot, with warnings."""
_log = logging.getLogger("sitewright.publishing")
_spares = Spares([sys.executable, "-I", "-m", "sitewright.sites.publishing.apart"], NICENESS)


class Order(msgspec.Struct, frozen=True):
    folder: str
    source: Source
    wanted: Wanted
    limits: Limits = DEFAULT_LIMITS


class Made(msgspec.Struct, frozen=True):
    """What was wanted, or why there is nothing: a fault of the template, or that the site is too large."""

    files: list[File] = []
    page: bytes = b""
    warnings: list[Reason] = []
    fault: str = ""
    too_large: str = ""

    @property
    def problem(self) -> TemplateFailed | SiteTooLarge | None:
        """What stands in the way of publishing it."""
        if self.fault:
            return TemplateFailed(f"The template has a fault: {self.fault}. Mend it, or choose another.")
        return SiteTooLarge(f"{self.too_large} {SiteTooLarge.remedy}") if self.too_large else None


def render_apart(order: Order) -> Made:
    """Blocks until the child is done. Raises `TemplateFailed` or `SiteTooLarge` where it had to be ended."""
    with _spares.child() as child:
        try:
            output, complaints = child.communicate(msgspec.msgpack.encode(order), timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            raise _given_up(order) from None
    if child.returncode != 0:
        _log.warning("rendering ended with %s: %s", child.returncode, complaints[-2000:].decode(errors="replace"))
        raise _given_up(order)
    return msgspec.msgpack.decode(output, type=Made)


def _given_up(order: Order) -> TemplateFailed | SiteTooLarge:
    if is_builtin(Path(order.folder)):
        return SiteTooLarge(f"The site takes too long or too much memory to put together. {SiteTooLarge.remedy}")
    return TemplateFailed("The template takes too long or too much memory. Mend it, or choose another.")


def make(order: Order) -> Made:
    """What is wrong with a tenant's template comes back as a fault."""
    if is_builtin(Path(order.folder)):
        return make_builtin(order)
    try:
        return _make(order, _own_design(Path(order.folder)))
    except (TemplateError, yaml.YAMLError, OSError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        return Made(fault=_fault(error))


def make_builtin(order: Order) -> Made:
    return _make(order, builtin_design(Path(order.folder).name))


def _make(order: Order, design: Design) -> Made:
    material = order.source.material()
    try:
        rendering = Rendering(material, design, is_preview=order.wanted == "page", limits=order.limits)
        if order.wanted == "page":
            return Made(page=rendering.home_page())
        files = rendering.files()
    except RenderingTooLarge as error:
        return Made(too_large=str(error), warnings=about_widgets(material.pages))
    return Made(warnings=about_widgets(material.pages)) if order.wanted == "check" else Made(files=files)


def _own_design(folder: Path) -> Design:
    environment = ImmutableSandboxedEnvironment(
        loader=Folders(folder, SHARED), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return design_of(folder, environment)


def _fault(error: Exception) -> str:
    line = f", line {error.lineno}" if hasattr(error, "lineno") else ""
    return f"{type(error).__name__}{line}: {error}".splitlines()[0][:300]


def _limit(cpu_seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    given = sys.stdin.buffer.read()
    if not given:  # whoever started this process is gone, or needs it no more
        return
    order = msgspec.msgpack.decode(given, type=Order)
    _limit(SECONDS + 5 if is_builtin(Path(order.folder)) else CPU_SECONDS)
    output = msgspec.msgpack.encode(make(order))
    if len(output) > MOST_OUTPUT:
        output = msgspec.msgpack.encode(Made(too_large="All pages together are too large."))
    sys.stdout.buffer.write(output)


if __name__ == "__main__":
    main()
