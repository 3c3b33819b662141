"""The units of systemd, as shipped in the folder `systemd`, for one installation."""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Literal, TypeAlias

from sitewright.installation.layout import Layout

Kind: TypeAlias = Literal["all-in-one", "parts"]
SHIPPED = files("sitewright.installation") / "systemd"
_CREDENTIALS = re.compile(r"(?:LoadCredential=.*\n)+")
_LISTEN = re.compile(r"ListenStream=.*\nFileDescriptorName=([a-z_]+)\n")


def unit_files(
    layout: Layout, kind: Kind, credentials: Sequence[str], addresses: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Each unit by its name. `addresses`: where a socket listens instead, by the name of its port's setting."""
    chosen = addresses or {}
    return {
        each.name: _with_addresses(
            _with_credentials(layout.localized(each.read_text(encoding="utf-8")), layout, credentials), chosen
        )
        for each in sorted((SHIPPED / kind).iterdir(), key=lambda each: each.name)
    }


def users_file(layout: Layout) -> str:
    return layout.localized((SHIPPED / "sitewright.sysusers").read_text(encoding="utf-8"))


def folders_file(layout: Layout) -> str:
    return layout.localized((SHIPPED / "sitewright.tmpfiles").read_text(encoding="utf-8"))


def _with_credentials(unit: str, layout: Layout, credentials: Sequence[str]) -> str:
    lines = "".join(f"LoadCredential={name}:{layout.credentials / name}\n" for name in credentials)
    return _CREDENTIALS.sub(lambda _found: lines, unit)


def _with_addresses(unit: str, addresses: Mapping[str, str]) -> str:
    def replaced(found: re.Match[str]) -> str:
        name = found[1]
        return f"ListenStream={addresses[name]}\nFileDescriptorName={name}\n" if name in addresses else found[0]

    return _LISTEN.sub(replaced, unit)
