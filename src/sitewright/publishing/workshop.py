"""Where rendering is done: never on the event loop, and a few sites at a time, so that everybody else is answered."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sitewright.publishing.apart import render_apart
from sitewright.publishing.designs import builtin_design, folder_of, is_builtin
from sitewright.publishing.errors import SiteTooLarge
from sitewright.publishing.material import File, Material
from sitewright.publishing.rendering import Rendering, RenderingTookTooLong
from sitewright.settings import Settings

AT_ONCE = 2
_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="rendering")


async def render(material: Material, settings: Settings) -> list[File]:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads, _files, material, own_templates(settings))


async def preview(material: Material, settings: Settings) -> bytes:
    """The home page, which stands for itself: its style is in it, and nothing in it runs."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads, _page, material, own_templates(settings))


def own_templates(settings: Settings) -> Path:
    """Where templates of brands, and further ones of the environment, lie: a folder each."""
    return settings.data_path / "templates"


def _files(material: Material, own: Path) -> list[File]:
    folder = folder_of(material.design, own)
    if not is_builtin(folder):
        return render_apart(material, folder, is_preview=False).files
    try:
        return Rendering(material, builtin_design(folder.name)).files()
    except RenderingTookTooLong:
        raise SiteTooLarge from None


def _page(material: Material, own: Path) -> bytes:
    folder = folder_of(material.design, own)
    if not is_builtin(folder):
        return render_apart(material, folder, is_preview=True).page.encode()
    return Rendering(material, builtin_design(folder.name), is_preview=True).home_page().encode()
