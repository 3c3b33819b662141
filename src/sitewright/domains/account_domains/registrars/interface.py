"""What a registrar is asked, and how it answers."""

from datetime import datetime
from typing import Protocol

import msgspec

from sitewright.kit.resources import Resources


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who a domain is registered for; as much of it as the account holder has given."""

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
    """One registration of a name; brand and account domain tell it from an earlier one of the same name."""

    brand_ref: int
    account_domain_ref: int
    domain: str
    """In ASCII, as the domain name system writes it."""
    until: datetime


class Refused(Exception):
    """The registrar will not, and asking again would not help; the text is for the operator."""


class Registrar(Protocol):
    """Every call may come again, after a crash or a doubt, and then changes nothing more. An answer that is not clear
    (a time-out, a fault over there) is any other exception than Refused: the worker asks again later."""

    async def is_available(self, resources: Resources, domain: str) -> bool:
        """Whether the name could be registered now."""

    async def register(self, resources: Resources, registration: Registration, holder: Holder) -> None:
        """Until `registration.until`, or Refused."""

    async def renew(self, resources: Resources, registration: Registration) -> None:
        """Until `registration.until`, or Refused."""

    async def release(self, resources: Resources, registration: Registration) -> None:
        """Give the name up; also one that was never registered, or is somebody else's by now."""

    async def forget_holder(self, resources: Resources, registration: Registration) -> None:
        """Whatever is kept of the holder goes; the registration stays."""
