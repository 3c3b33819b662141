"""PowerDNS through its HTTP API: the service creates and removes zones, and has all of their records."""

from collections.abc import Collection, Sequence
from typing import Any

import aiohttp

from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.domains.dns.planner import Change
from sitewright.domains.dns.providers.interface import Wanted, ZoneSpec
from sitewright.domains.dns.rrsets import TYPES, Key, RRset, Zone, absolute, rrset
from sitewright.domains.dns.template import start_of_authority
from sitewright.kit import clock
from sitewright.settings import Settings

TIMEOUT_SECONDS = 15
OPTIONAL_SECONDS = 3
"""For the request to notify the secondaries, whose names PowerDNS resolves first. Without it they learn of a change
within a minute."""
CATALOG = "catalog.sitewright.invalid"
"""The catalog zone (RFC 9432), from which secondary servers learn which zones there are."""
MAX_REASON = 300
_FOUND = (200, 201, 204)


class PowerDns:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._zones = f"{settings.powerdns_url.rstrip('/')}/api/v1/servers/localhost/zones"
        self._session = aiohttp.ClientSession(
            headers={"X-API-Key": settings.powerdns_key},
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def close(self) -> None:
        await self._session.close()

    async def read(self, zone: ZoneSpec, _wanted: Wanted, *, everything: bool = False) -> Zone | None:  # noqa: ARG002
        """Always everything: the zone is the service's."""
        found = await self._call("GET", f"/{zone.name}.", missing_is_none=True)
        return None if found is None else {each.key: each for each in _rrsets(found)}

    async def create(self, zone: ZoneSpec) -> None:
        await self._create_catalog()
        body = {
            "name": absolute(zone.name),
            "kind": "Master",
            "account": str(zone.brand_ref),
            "nameservers": [],
            "rrsets": [_sent(start_of_authority(self._settings, zone.name, _serial(0)))],
            "soa_edit_api": "",
            "dnssec": zone.is_signed,
            "api_rectify": True,
            "catalog": absolute(CATALOG),
        }
        await self._call("POST", "", body, conflict_is_fine=True)

    async def _create_catalog(self) -> None:
        if await self._call("GET", f"/{CATALOG}.", missing_is_none=True) is None:
            body = {"name": absolute(CATALOG), "kind": "Producer", "nameservers": [], "soa_edit_api": "INCREASE"}
            await self._call("POST", "", body, conflict_is_fine=True)

    async def apply(self, zone: ZoneSpec, changes: Sequence[Change]) -> None:
        """One request is one transaction of PowerDNS. SOA is always sent, with a higher serial for the secondaries."""
        found = await self._call("GET", f"/{zone.name}.")
        await self._set_options(zone, found)
        sent = [_sent(change.after) if change.after else _deleted(change.key) for change in changes]
        sent.append(_sent(start_of_authority(self._settings, zone.name, _serial(_serial_of(found)))))
        await self._call("PATCH", f"/{zone.name}.", {"rrsets": sent})
        await self._call("PUT", f"/{zone.name}./notify", is_optional=True)

    async def _set_options(self, zone: ZoneSpec, found: dict[str, Any]) -> None:
        """Those of a zone that existed before, and of the setting for DNSSEC, which may change."""
        account = str(zone.brand_ref)
        if (found.get("account"), bool(found.get("dnssec"))) == (account, zone.is_signed):
            return
        options = {
            "account": account,
            "dnssec": zone.is_signed,
            "catalog": absolute(CATALOG),
            "kind": "Master",
            "soa_edit_api": "",
        }
        await self._create_catalog()
        await self._call("PUT", f"/{zone.name}.", options)

    async def remove(self, zone: ZoneSpec, _keys: Collection[Key]) -> None:
        await self._call("DELETE", f"/{zone.name}.", missing_is_none=True)

    async def ds_records(self, zone: ZoneSpec) -> list[str]:
        if not zone.is_signed:
            return []
        keys = await self._call("GET", f"/{zone.name}./cryptokeys")
        return sorted({ds for key in keys if key.get("active") for ds in key.get("ds", []) if _is_sha256(ds)})

    async def _call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        missing_is_none: bool = False,
        conflict_is_fine: bool = False,
        is_optional: bool = False,
    ) -> Any:
        try:
            limit = aiohttp.ClientTimeout(total=OPTIONAL_SECONDS if is_optional else TIMEOUT_SECONDS)
            async with self._session.request(method, f"{self._zones}{path}", json=body, timeout=limit) as response:
                if response.status in _FOUND:
                    return await response.json(content_type=None) if response.status != 204 else {}
                if (response.status == 404 and missing_is_none) or (response.status == 409 and conflict_is_fine):
                    return None
                text = (await response.text())[:MAX_REASON]
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            if is_optional:
                return None
            raise DnsUnavailable(f"PowerDNS does not respond: {type(error).__name__}") from error
        if is_optional:
            return None
        raise DnsUnavailable(f"PowerDNS refused {method}: {response.status} {text}")


def _rrsets(found: dict[str, Any]) -> list[RRset]:
    return [
        rrset(_key(each), each["ttl"], [record["content"] for record in each["records"] if not record["disabled"]])
        for each in found["rrsets"]
        if each["type"] in TYPES and any(not record["disabled"] for record in each["records"])
    ]


def _key(each: dict[str, Any]) -> Key:
    return Key(each["name"].removesuffix(".").lower(), each["type"])


def _sent(each: RRset) -> dict[str, Any]:
    records = [{"content": value, "disabled": False} for value in each.values]
    name = absolute(each.key.name)
    return {"name": name, "type": each.key.type, "ttl": each.ttl, "changetype": "REPLACE", "records": records}


def _deleted(key: Key) -> dict[str, Any]:
    return {"name": absolute(key.name), "type": key.type, "changetype": "DELETE"}


def _serial_of(found: dict[str, Any]) -> int:
    authority = next((each for each in found["rrsets"] if each["type"] == "SOA"), None)
    return int(authority["records"][0]["content"].split()[2]) if authority else 0


def _serial(present: int) -> int:
    """Higher than the present one, also after a zone was removed and created again."""
    return max(present + 1, int(clock.real_now().timestamp()))


def _is_sha256(ds: str) -> bool:
    """SHA-1 is out of use, and one digest is enough."""
    parts = ds.split()
    return len(parts) >= 4 and parts[2] == "2"
