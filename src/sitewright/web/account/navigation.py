"""The navigation of the account area: its sections, in the order in which the shell shows them."""

from enum import StrEnum

import msgspec

from sitewright.kit.http.messages import Messages
from sitewright.web.login.service import ACCOUNT


class Section(StrEnum):
    """A section of the account area; the text key of its label is `nav_<value>`."""

    OVERVIEW = "overview"
    PACKAGE = "package"
    DOMAINS = "domains"
    MESSAGES = "messages"
    PROFILE = "profile"


_ICONS = {
    Section.OVERVIEW: "home",
    Section.PACKAGE: "package",
    Section.DOMAINS: "globe",
    Section.MESSAGES: "mail",
    Section.PROFILE: "user",
}


class NavigationItem(msgspec.Struct, frozen=True):
    label: str
    href: str
    icon: str
    is_current: bool
    count: str = ""
    count_label: str = ""


def navigation(messages: Messages, current: Section, unread: str) -> list[NavigationItem]:
    """`unread`: the number of unread messages, as it is shown; empty without any."""
    return [_item(messages, each, current, unread if each is Section.MESSAGES else "") for each in Section]


def _item(messages: Messages, section: Section, current: Section, count: str) -> NavigationItem:
    unread, is_current = messages("nav_unread", count=count) if count else "", section is current
    label = messages(f"nav_{section}")
    return NavigationItem(label, address_of(section), _ICONS[section], is_current, count, unread)


def address_of(section: Section) -> str:
    return ACCOUNT if section is Section.OVERVIEW else f"{ACCOUNT}/{section}"
