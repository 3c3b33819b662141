"""Where rendering is done: never on the event loop, and a few sites at a time, so that everybody else is answered."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from sitewright.publishing.apart import render_apart
from sitewright.publishing.designs import builtin_design, folder_of, is_builtin
from sitewright.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.publishing.material import DesignChoice, File, Material
from sitewright.publishing.rendering import Rendering, RenderingTookTooLong
from sitewright.settings import Settings

T = TypeVar("T")
AT_ONCE = 2
_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="rendering")
_waiting = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="rendering-apart")
"""For templates of tenants: whoever uses those of the service does not wait for them."""


async def render(material: Material, settings: Settings) -> list[File]:
    return await _elsewhere(_files, material, settings)


async def render_somehow(material: Material, settings: Settings) -> list[File]:
    """In the neutral design where the template has a fault."""
    try:
        return await render(material, settings)
    except TemplateFailed:
        return await render(msgspec.structs.replace(material, design=DesignChoice()), settings)


async def preview(material: Material, settings: Settings) -> bytes:
    """The home page, which stands for itself: its style is in it, and nothing in it runs."""
    return await _elsewhere(_page, material, settings)


def own_templates(settings: Settings) -> Path:
    """Where templates of brands, and further ones of the environment, lie: a folder each."""
    return settings.data_path / "templates"


async def _elsewhere(work: Callable[[Material, Path], T], material: Material, settings: Settings) -> T:
    folder = folder_of(material.design, own_templates(settings))
    threads = _threads if is_builtin(folder) else _waiting
    return await asyncio.get_running_loop().run_in_executor(threads, work, material, folder)


def _files(material: Material, folder: Path) -> list[File]:
    if not is_builtin(folder):
        return render_apart(material, folder, is_preview=False).files
    try:
        return Rendering(material, builtin_design(folder.name)).files()
    except RenderingTookTooLong:
        raise SiteTooLarge from None


def _page(material: Material, folder: Path) -> bytes:
    if not is_builtin(folder):
        return render_apart(material, folder, is_preview=True).page.encode()
    return Rendering(material, builtin_design(folder.name), is_preview=True).home_page().encode()
