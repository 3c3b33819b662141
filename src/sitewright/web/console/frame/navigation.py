"""The navigation of the console: features add entries to one list; operators see those that they have a right to."""

import msgspec

from sitewright.kit.auth.caller import Role
from sitewright.kit.auth.rights import ROLES_WITH, Right
from sitewright.kit.http.messages import Messages

CONSOLE = "/console"
LOG_IN = f"{CONSOLE}/log-in"
CODE = f"{CONSOLE}/code"
ME = f"{CONSOLE}/me"
SECOND_FACTOR = f"{ME}/second-factor"
STAFF = f"{CONSOLE}/staff"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the console. `title` is the key of its text; `<title>_hint` says on the start page what it is for."""

    title: str
    path: str
    right: Right
    icon: str
    needs_brand: bool = True


ENTRIES = (
    Entry(title="nav_staff", path=STAFF, right=Right.READ, icon="user"),
    Entry(title="nav_me", path=ME, right=Right.READ, icon="settings", needs_brand=False),
)


class NavigationItem(msgspec.Struct, frozen=True):
    label: str
    href: str
    is_current: bool


def entries_for(role: Role, brand_ref: int | None) -> list[Entry]:
    return [
        each for each in ENTRIES if role in ROLES_WITH[each.right] and (brand_ref is not None or not each.needs_brand)
    ]


def navigation(messages: Messages, role: Role, brand_ref: int | None, path: str) -> list[NavigationItem]:
    """`path` is that of the page, whose entry is the current one."""
    start = NavigationItem(messages("nav_start"), CONSOLE, path == CONSOLE)
    entries = entries_for(role, brand_ref)
    return [
        start,
        *(NavigationItem(messages(each.title), each.path, _is_below(path, each.path)) for each in entries),
    ]


def _is_below(path: str, above: str) -> bool:
    return path == above or path.startswith(f"{above}/")
