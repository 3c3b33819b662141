"""Convert rows of sites to response schemas."""

from typing import Any

import asyncpg

from sitewright.accounts.profiles.service import serialize_fields
from sitewright.kit.timestamps import timestamp
from sitewright.sites.sites.schemas import (
    FORMAT_VERSION,
    CreatedSiteDetails,
    EditedSiteDetails,
    ListedSite,
    MappedDomain,
    SiteDetails,
    SiteProfile,
    UserSiteDetails,
)

_COPIED_COLUMNS = (
    "ref",
    "brand_ref",
    "enabled",
    "profile_ref",
    "redirect_to_primary",
    "site_type",
    "activation_status",
)


def details(row: asyncpg.Record) -> SiteDetails:
    return SiteDetails(**_fields(row), **_full_fields(row), domains=_domains(row))


def created(row: asyncpg.Record) -> CreatedSiteDetails:
    return CreatedSiteDetails(
        **_fields(row),
        **_full_fields(row),
        domains=[MappedDomain(*domain) for domain in row["domains"]],
        version=FORMAT_VERSION if row["consistent_types"] else str(FORMAT_VERSION),
    )


def edited(row: asyncpg.Record) -> EditedSiteDetails:
    return EditedSiteDetails(**_fields(row), domains=_domains(row))


def of_user(row: asyncpg.Record) -> UserSiteDetails:
    return UserSiteDetails(
        **_fields(row),
        **_full_fields(row),
        domains=_domains(row),
        template_selected=row["template_ref"] is not None,
        pages=row["pages"] if row["consistent_types"] else str(row["pages"]),
        profile=SiteProfile(row["profile_ref"], serialize_fields(row["fields"])),
    )


def listed(row: asyncpg.Record) -> ListedSite:
    return ListedSite(ref=row["ref"], database_schema=_schema(row["ref"]), domains=_domains(row))


def _fields(row: asyncpg.Record) -> dict[str, Any]:
    """The fields that all responses with one site contain."""
    schema = _schema(row["ref"])
    primary = next((MappedDomain(*each) for each in row["domains"] if each[0] == row["primary_domain_ref"]), None)
    published_at = row["last_publish_at"]
    return {name: row[name] for name in _COPIED_COLUMNS} | {
        "template": row["template_ref"],
        "primary_domain": primary,
        "primary_url": "" if primary is None else f"{row['protocol']}://{primary.domain_name}",
        "last_publish": None if published_at is None else timestamp(published_at, row["time_zone"]),
        "database_schema": schema,
        "database_read_user": f"{schema}_r",
        "database_write_user": f"{schema}_w",
    }


def _full_fields(row: asyncpg.Record) -> dict[str, Any]:
    """Further fields of all these responses but that of an edit."""
    return {
        "live": row["live"],
        "previously_published": int(row["last_publish_at"] is not None),
        "account_holder_ref": row["user_ref"],
    }


def _domains(row: asyncpg.Record) -> dict[str, str]:
    return {str(ref): name for ref, name in row["domains"]}


def _schema(site_ref: int) -> str:
    return f"site_{site_ref}"
