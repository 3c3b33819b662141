"""What certificate authorities send: directory, account, order, authorization, renewal information."""

from datetime import datetime
from typing import Any

import msgspec

from sitewright.domains.certificates.acme.client.errors import Problem

HTTP, DNS = "http-01", "dns-01"


class Meta(msgspec.Struct, frozen=True, rename="camel"):
    profiles: dict[str, Any] = {}


class Directory(msgspec.Struct, frozen=True, rename="camel"):
    new_nonce: str
    new_account: str
    new_order: str
    renewal_info: str | None = None
    meta: Meta = Meta()


class Identifier(msgspec.Struct, frozen=True):
    value: str
    type: str = "dns"


class Challenge(msgspec.Struct, frozen=True):
    type: str
    url: str
    token: str = ""
    status: str = "pending"
    error: Problem | None = None


class Authorization(msgspec.Struct, frozen=True):
    identifier: Identifier
    status: str
    challenges: list[Challenge] = []

    @property
    def problem(self) -> Problem:
        """Why it is invalid."""
        errors = [each.error for each in self.challenges if each.error is not None]
        return errors[0] if errors else Problem(type="unauthorized", detail=f"the authorization is {self.status}")


class Order(msgspec.Struct, frozen=True, kw_only=True):
    url: str = ""
    status: str
    authorizations: list[str] = []
    finalize: str = ""
    certificate: str | None = None
    error: Problem | None = None


class Window(msgspec.Struct, frozen=True):
    start: datetime
    end: datetime


class RenewalInfo(msgspec.Struct, frozen=True, rename="camel"):
    """When the authority suggests to renew a certificate (RFC 9773)."""

    suggested_window: Window
