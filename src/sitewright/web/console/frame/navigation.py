"""The navigation of the console: one list of entries, in groups; operators see those that they have a right to."""

from collections.abc import Sequence

import msgspec

from sitewright.kit.auth.caller import Role
from sitewright.kit.auth.rights import ROLES_WITH, Right
from sitewright.kit.http.messages import Messages

CONSOLE = "/console"
LOG_IN = f"{CONSOLE}/log-in"
CODE = f"{CONSOLE}/code"
ME = f"{CONSOLE}/me"
SECOND_FACTOR = f"{ME}/second-factor"
OVERVIEW = f"{CONSOLE}/overview"
CUSTOMERS = f"{CONSOLE}/customers"
SITES = f"{CONSOLE}/sites"
DOMAINS = f"{CONSOLE}/domains"
ADDRESSES = f"{CONSOLE}/addresses"
CERTIFICATES = f"{CONSOLE}/certificates"
DRIFT = f"{CONSOLE}/drift"
RESELLERS = f"{CONSOLE}/resellers"
CHARGES = f"{CONSOLE}/charges"
CATALOGUE = f"{CONSOLE}/catalogue"
REPORTS = f"{CONSOLE}/reports"
EVENTS = f"{CONSOLE}/events"
WEBHOOKS = f"{CONSOLE}/webhooks"
MAIL = f"{CONSOLE}/mail"
AUDIT = f"{CONSOLE}/audit"
BRAND = f"{CONSOLE}/settings"
STAFF = f"{CONSOLE}/staff"
CREDENTIALS = f"{CONSOLE}/credentials"
JOBS = f"{CONSOLE}/jobs"
SYSTEM = f"{CONSOLE}/system"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the console. `title` is the key of its text; `<title>_hint` says on the start page what it is for."""

    title: str
    path: str
    icon: str
    right: Right = Right.READ
    needs_brand: bool = True


class Group(msgspec.Struct, frozen=True):
    """`title` is the key of its text."""

    title: str
    entries: Sequence[Entry]


GROUPS = (
    Group(
        "group_customers",
        (
            Entry(title="nav_overview", path=OVERVIEW, icon="pulse"),
            Entry(title="nav_customers", path=CUSTOMERS, icon="user"),
            Entry(title="nav_sites", path=SITES, icon="layout"),
            Entry(title="nav_domains", path=DOMAINS, icon="globe"),
            Entry(title="nav_addresses", path=ADDRESSES, icon="compass"),
            Entry(title="nav_certificates", path=CERTIFICATES, icon="lock"),
            Entry(title="nav_drift", path=DRIFT, icon="compass"),
        ),
    ),
    Group(
        "group_business",
        (
            Entry(title="nav_resellers", path=RESELLERS, icon="store"),
            Entry(title="nav_charges", path=CHARGES, icon="book"),
            Entry(title="nav_catalogue", path=CATALOGUE, icon="package"),
            Entry(title="nav_reports", path=REPORTS, icon="file"),
        ),
    ),
    Group(
        "group_operations",
        (
            Entry(title="nav_events", path=EVENTS, icon="clock"),
            Entry(title="nav_webhooks", path=WEBHOOKS, icon="upload"),
            Entry(title="nav_mail", path=MAIL, icon="mail"),
            Entry(title="nav_audit", path=AUDIT, icon="eye"),
        ),
    ),
    Group(
        "group_settings",
        (
            Entry(title="nav_brand", path=BRAND, icon="palette"),
            Entry(title="nav_staff", path=STAFF, icon="users"),
            Entry(title="nav_credentials", path=CREDENTIALS, icon="key"),
        ),
    ),
    Group(
        "group_system",
        (
            Entry(title="nav_jobs", path=JOBS, icon="redo", right=Right.SYSTEM, needs_brand=False),
            Entry(title="nav_system", path=SYSTEM, icon="desktop", right=Right.SYSTEM, needs_brand=False),
        ),
    ),
    Group("group_me", (Entry(title="nav_me", path=ME, icon="settings", needs_brand=False),)),
)


class NavigationItem(msgspec.Struct, frozen=True):
    label: str
    href: str
    icon: str
    is_current: bool


class NavigationGroup(msgspec.Struct, frozen=True):
    label: str
    items: list[NavigationItem]


def groups_for(role: Role, brand_ref: int | None) -> list[Group]:
    """Those with an entry that the operator may open."""
    allowed = [
        Group(each.title, [entry for entry in each.entries if _may_open(entry, role, brand_ref)]) for each in GROUPS
    ]
    return [each for each in allowed if each.entries]


def entries_for(role: Role, brand_ref: int | None) -> list[Entry]:
    return [entry for group in groups_for(role, brand_ref) for entry in group.entries]


def navigation(messages: Messages, role: Role, brand_ref: int | None, path: str) -> list[NavigationGroup]:
    """`path` is that of the page, whose entry is the current one."""
    return [
        NavigationGroup(
            messages(group.title),
            [
                NavigationItem(messages(each.title), each.path, each.icon, _is_below(path, each.path))
                for each in group.entries
            ],
        )
        for group in groups_for(role, brand_ref)
    ]


def _may_open(entry: Entry, role: Role, brand_ref: int | None) -> bool:
    return role in ROLES_WITH[entry.right] and (brand_ref is not None or not entry.needs_brand)


def _is_below(path: str, above: str) -> bool:
    return path == above or path.startswith(f"{above}/")
