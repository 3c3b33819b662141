"""What a demo installation adds to the reference: real values in the examples, and credentials to try operations."""

from collections.abc import Callable
from typing import Any

import msgspec


class DemoAccess(msgspec.Struct, frozen=True, kw_only=True):
    """The first demo brand as `demo.json` describes it. Every reader may see its credentials."""

    oauth: dict[str, str]
    """The four strings by name."""
    basic: dict[str, str]
    values: dict[str, Any]
    """Refs for the examples, by name."""


ReadDemo = Callable[[], dict[str, Any] | None]
"""Returns the content of `demo.json`, or None unless the service runs with `serve --demo`."""


def demo_access(document: dict[str, Any]) -> DemoAccess:
    brand = document["brands"][0]
    user = brand["demoUser"]
    values = {
        "brandRef": brand["brandRef"],
        "languageCode": brand["languages"][0],
        "packageRef": brand["packages"]["starter"],
        "account_domains.packageRef": brand["packages"]["domain"],
        "userRef": user["userRef"],
        "accountHolderRef": user["userRef"],
        "siteRef": user["siteRef"],
        "accountDomainRef": user["accountDomainRef"],
    }
    known = {name: value for name, value in values.items() if value is not None}
    return DemoAccess(oauth=brand["oauth"], basic=brand["basic"], values=known)
