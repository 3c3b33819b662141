"""What pages show of a brand."""

from typing import Protocol

import msgspec


class Brand(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def accent_colour(self) -> str | None: ...
    @property
    def logo_url(self) -> str | None: ...
    @property
    def favicon_url(self) -> str | None: ...
    @property
    def help_url(self) -> str | None: ...
    @property
    def support_email(self) -> str | None: ...
    @property
    def support_url(self) -> str | None: ...
    @property
    def privacy_url(self) -> str | None: ...
    @property
    def terms_url(self) -> str | None: ...


class BrandLook(msgspec.Struct, frozen=True, kw_only=True):
    """A brand for pages on other hosts than the service's own: its pictures are data URLs."""

    name: str
    accent_colour: str | None = None
    logo_url: str | None = None
    favicon_url: str | None = None
    help_url: str | None = None
    support_email: str | None = None
    support_url: str | None = None
    privacy_url: str | None = None
    terms_url: str | None = None
