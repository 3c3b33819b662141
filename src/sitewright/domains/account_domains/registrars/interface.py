"""The interface of a registrar."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from sitewright.kit.resources import Resources


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """The person or company that a domain is registered for; fields the account holder left out are empty."""

    first_name: str
    last_name: str
    company: str
    email: str
    phone_number: str | None
    address1: str
    address2: str
    city: str
    state: str
    postcode: str
    country: str


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """One registration of a name; brand and account domain distinguish it from an earlier one of the same name."""

    brand_ref: int
    account_domain_ref: int
    domain: str
    """In ASCII, as in DNS."""
    until: datetime


class RegistrarRefused(Exception):
    """The registrar refused permanently: there is no retry. The text is for the operator."""


class Registrar(Protocol):
    """Every call must be idempotent: it is repeated after a crash or an unclear response. Any exception other than
    RegistrarRefused (a timeout, a server error) is temporary: the worker retries after a back-off."""

    async def is_available(self, resources: Resources, domain: str) -> bool:
        """Whether the name could be registered now."""

    async def register(self, resources: Resources, registration: Registration, holder: Holder) -> None:
        """Until `registration.until`, or RegistrarRefused."""

    async def renew(self, resources: Resources, registration: Registration) -> None:
        """Until `registration.until`, or RegistrarRefused."""

    async def release(self, resources: Resources, registration: Registration) -> None:
        """Release the name; do nothing if it was never registered, or now has another holder."""

    async def publish_ds(self, resources: Resources, registration: Registration, ds: Sequence[str]) -> None:
        """Publish exactly these DS records for the name, each as "keytag algorithm type digest"; none: remove them."""

    async def erase_holder(self, resources: Resources, registration: Registration) -> None:
        """Erase all data about the holder; the registration stays."""
