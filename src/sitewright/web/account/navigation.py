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


def navigation(messages: Messages, current: Section) -> list[NavigationItem]:
    return [NavigationItem(messages(f"nav_{each}"), address_of(each), each is current) for each in Section]


def address_of(section: Section) -> str:
    return ACCOUNT if section is Section.OVERVIEW else f"{ACCOUNT}/{section}"
