"""How much time and how many bytes rendering a site may take. It is stopped as soon as one is used up."""

from collections.abc import Iterable

import msgspec

from sitewright.kit import clock
from sitewright.settings import Settings

MIB = 1024 * 1024
SECONDS = 60
STORED_BYTES = 64 * MIB
"""All files of a snapshot, compressed: they are in memory at once, and one transaction writes them."""


class RenderingTooLarge(Exception):
    """A page or the site is larger, or takes longer, than it may; the text says which, for people."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    page_bytes: int = 10 * MIB
    site_bytes: int = 200 * MIB
    seconds: float = SECONDS

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        return cls(page_bytes=settings.rendered_page_mib * MIB, site_bytes=settings.rendered_site_mib * MIB)


DEFAULT_LIMITS = Limits()


class Budget:
    """What is left of the limits while one site is rendered."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._until = clock.stopwatch() + limits.seconds
        self._site_bytes = 0
        self._stored_bytes = 0

    def check_time(self) -> None:
        """Called in every loop over pages and widgets: a deadline."""
        if clock.stopwatch() > self._until:
            raise RenderingTooLarge("The site takes too long to put together.")

    def page(self, path: str, chunks: Iterable[str]) -> bytes:
        """The page as bytes. No more of it is rendered, or kept in memory, than a page may have."""
        kept, size, most = [], 0, self._limits.page_bytes
        for chunk in chunks:
            size += len(chunk)
            if size > most:
                break
            kept.append(chunk)
        body = b"" if size > most else "".join(kept).encode()
        if max(size, len(body)) > most:
            raise RenderingTooLarge(f"The page {path or 'home'} is larger than {most // MIB} MiB when put together.")
        return body

    def add_file(self, size: int, stored: int) -> None:
        """A finished file, with its size and its compressed size."""
        self._site_bytes += size
        self._stored_bytes += stored
        if self._site_bytes > self._limits.site_bytes:
            most = self._limits.site_bytes // MIB
            raise RenderingTooLarge(f"All pages together are larger than {most} MiB when put together.")
        if self._stored_bytes > STORED_BYTES:
            raise RenderingTooLarge(f"All pages together are larger than {STORED_BYTES // MIB} MiB when compressed.")
