"""Time and size limits of rendering a site. Rendering stops as soon as one is exceeded."""

from collections.abc import Iterable

import msgspec

from sitewright.kit import clock
from sitewright.settings import Settings

MIB = 1024 * 1024
SECONDS = 60
STORED_BYTES = 64 * MIB
"""Limit of all compressed files of a snapshot, which are in memory at once and written by one transaction."""


class RenderingTooLarge(Exception):
    """A page or the site exceeds a size or time limit; the text says which, for users."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    page_bytes: int = 10 * MIB
    site_bytes: int = 200 * MIB
    seconds: float = SECONDS

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        return cls(page_bytes=settings.rendered_page_mib * MIB, site_bytes=settings.rendered_site_mib * MIB)


DEFAULT_LIMITS = Limits()


class Budget:
    """Tracks the limits while one site is rendered."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._until = clock.stopwatch() + limits.seconds
        self._site_bytes = 0
        self._stored_bytes = 0

    def check_time(self) -> None:
        """Raise after the deadline. Called in every loop over pages and widgets."""
        if clock.stopwatch() > self._until:
            raise RenderingTooLarge("The site takes too long to render.")

    def page(self, path: str, chunks: Iterable[str]) -> bytes:
        """Return the page as bytes; rendering stops at the size limit, which bounds memory."""
        parts, size, max_bytes = [], 0, self._limits.page_bytes
        for chunk in chunks:
            size += len(chunk)
            if size > max_bytes:
                break
            parts.append(chunk)
        body = b"" if size > max_bytes else "".join(parts).encode()
        if max(size, len(body)) > max_bytes:
            raise RenderingTooLarge(f"The page {path or 'home'} is larger than {max_bytes // MIB} MiB when rendered.")
        return body

    def add_file(self, size: int, stored: int) -> None:
        """Count a finished file, with its size and its compressed size."""
        self._site_bytes += size
        self._stored_bytes += stored
        if self._site_bytes > self._limits.site_bytes:
            max_mib = self._limits.site_bytes // MIB
            raise RenderingTooLarge(f"All pages together are larger than {max_mib} MiB when rendered.")
        if self._stored_bytes > STORED_BYTES:
            raise RenderingTooLarge(f"All pages together are larger than {STORED_BYTES // MIB} MiB when compressed.")
