"""Rendering in a child process with resource limits: tenants' templates in Jinja's sandbox, and large sites.

Jinja's sandbox restricts what a template can access, but not its CPU time and memory, so a child process with rlimits
renders it. A large site in a built-in template would hold the interpreter lock of an API process, so a child at low
priority renders it, too (decision 0040).
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
from sitewright.sites.publishing.prestarted_processes import PrestartedProcesses
from sitewright.sites.publishing.render_input import File, RenderSource
from sitewright.sites.publishing.rendering import Mode, Rendering
from sitewright.sites.publishing.warnings import Reason, widget_warnings

CPU_SECONDS = 10
"""For tenants' templates; built-in templates have the whole rendering time."""
WALL_SECONDS = 120
MEMORY = 768 * 1024 * 1024
MAX_OUTPUT_BYTES = STORED_BYTES + 8 * 1024 * 1024
NICENESS = 5
Wanted = Literal["files", "page", "check", "editing"]
"""All files of a snapshot; the one page of a preview; only errors and warnings; or one page for the editor."""
MODES: dict[Wanted, Mode] = {"page": "preview", "editing": "editing"}
_log = logging.getLogger("sitewright.publishing")
_processes = PrestartedProcesses(
    [sys.executable, "-I", "-m", "sitewright.sites.publishing.sandboxed_renderer"], NICENESS
)


class RenderRequest(msgspec.Struct, frozen=True):
    folder: str
    source: RenderSource
    wanted: Wanted
    limits: Limits = DEFAULT_LIMITS
    page_ref: int | None = None
    """The page to edit; None is the home page."""
    path: str = ""
    """The page of a preview; empty for the home page."""


class RenderResult(msgspec.Struct, frozen=True):
    """The requested output, or the reason for failure: an error in the template, or a site that is too large."""

    files: list[File] = []
    page: bytes = b""
    """Empty where there is no such page."""
    warnings: list[Reason] = []
    template_error: str = ""
    too_large: str = ""

    @property
    def problem(self) -> TemplateFailed | SiteTooLarge | None:
        """The problem that prevents publishing."""
        if self.template_error:
            return TemplateFailed(f"The template has an error: {self.template_error}. Fix it, or choose another.")
        return SiteTooLarge(f"{self.too_large} {SiteTooLarge.remedy}") if self.too_large else None


def render_in_child(request: RenderRequest) -> RenderResult:
    """Render in a child process, blocking. Raises `TemplateFailed` or `SiteTooLarge` where it exceeded its limits."""
    with _processes.child() as child:
        try:
            output, stderr = child.communicate(msgspec.msgpack.encode(request), timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            raise _limit_exceeded(request) from None
    if child.returncode != 0:
        _log.warning("rendering ended with %s: %s", child.returncode, stderr[-2000:].decode(errors="replace"))
        raise _limit_exceeded(request)
    return msgspec.msgpack.decode(output, type=RenderResult)


def _limit_exceeded(request: RenderRequest) -> TemplateFailed | SiteTooLarge:
    if is_builtin(Path(request.folder)):
        return SiteTooLarge(f"The site takes too long or too much memory to render. {SiteTooLarge.remedy}")
    return TemplateFailed("The template takes too long or too much memory. Fix it, or choose another.")


def render(request: RenderRequest) -> RenderResult:
    """Render; errors of a tenant's template are returned in the result."""
    if is_builtin(Path(request.folder)):
        return render_builtin(request)
    try:
        return _render(request, _own_design(Path(request.folder)))
    except (TemplateError, yaml.YAMLError, OSError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        return RenderResult(template_error=_describe_error(error))


def render_builtin(request: RenderRequest) -> RenderResult:
    return _render(request, builtin_design(Path(request.folder).name))


def _render(request: RenderRequest, design: Design) -> RenderResult:
    render_input = request.source.decoded(request.page_ref)
    try:
        rendering = Rendering(render_input, design, MODES.get(request.wanted, "site"), limits=request.limits)
        if request.wanted == "page":
            return RenderResult(page=rendering.page_at(request.path))
        if request.wanted == "editing":
            return RenderResult(page=rendering.edited_page(request.page_ref))
        files = rendering.files()
    except RenderingTooLarge as error:
        return RenderResult(too_large=str(error), warnings=widget_warnings(render_input.pages))
    if request.wanted == "check":
        return RenderResult(warnings=widget_warnings(render_input.pages))
    return RenderResult(files=files)


def _own_design(folder: Path) -> Design:
    environment = ImmutableSandboxedEnvironment(
        loader=Folders(folder, SHARED), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return design_of(folder, environment)


def _describe_error(error: Exception) -> str:
    line = f", line {error.lineno}" if hasattr(error, "lineno") else ""
    return f"{type(error).__name__}{line}: {error}".splitlines()[0][:300]


def _limit(cpu_seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    encoded = sys.stdin.buffer.read()
    if not encoded:  # the parent process has ended, or no longer needs this one
        return
    request = msgspec.msgpack.decode(encoded, type=RenderRequest)
    _limit(SECONDS + 5 if is_builtin(Path(request.folder)) else CPU_SECONDS)
    output = msgspec.msgpack.encode(render(request))
    if len(output) > MAX_OUTPUT_BYTES:
        output = msgspec.msgpack.encode(RenderResult(too_large="All pages together are too large."))
    sys.stdout.buffer.write(output)


if __name__ == "__main__":
    main()
