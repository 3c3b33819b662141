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


class NavigationItem(msgspec.Struct, frozen=True):
    label: str
    href: str
    is_current: bool
    count: str = ""
    count_label: str = ""


def navigation(messages: Messages, current: Section, unread: str) -> list[NavigationItem]:
    """`unread`: the number of unread messages, as it is shown; empty without any."""
    return [_item(messages, each, current, unread if each is Section.MESSAGES else "") for each in Section]


def _item(messages: Messages, section: Section, current: Section, count: str) -> NavigationItem:
    label = messages("nav_unread", count=count) if count else ""
    return NavigationItem(messages(f"nav_{section}"), address_of(section), section is current, count, label)


def address_of(section: Section) -> str:
    return ACCOUNT if section is Section.OVERVIEW else f"{ACCOUNT}/{section}"
