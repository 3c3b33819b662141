"""All kinds of events are declared, documented and free of personal data."""

import msgspec
import pytest

from sitewright.app import EVENT_KINDS
from sitewright.events.kinds import EventBody, EventKind, by_name

SPECIFIED = {
    "user": "created updated deleted restored suspended unsuspended anonymised loggedIn",
    "package": "started changed renewed cancelled",
    "trial": "started ended",
    "charge": "created voided",
    "site": "publish created updated offline deleted",
    "domain": "mapped unmapped healthy failing",
    "certificate": "issued failing expiring",
    "accountDomain": "registered renewed expired failed",
    "mailbox": "created deleted",
    "reseller": "created updated deleted",
    "report": "finished",
    "message": "received",
}
PERSONAL = {"username", "firstName", "lastName", "email", "address", "name", "phoneNumber", "domainName", "password"}


def test_the_kinds_are_those_of_the_specification() -> None:
    names = {f"{group}.{name}" for group, listed in SPECIFIED.items() for name in listed.split()}
    assert set(EVENT_KINDS) == names


@pytest.mark.parametrize("name", sorted(EVENT_KINDS))
def test_every_field_is_described_and_none_is_personal(name: str) -> None:
    kind = EVENT_KINDS[name]
    assert kind.summary.endswith(".")
    definitions = msgspec.json.schema(kind.body)["$defs"].values()
    for definition in definitions:
        assert definition["description"], definition
        for field, schema in definition.get("properties", {}).items():
            assert {"description", "examples"} <= set(schema), field
            assert field not in PERSONAL


def test_two_kinds_with_one_name_are_refused() -> None:
    kind = EventKind(name="a.b", summary="A.", body=EventBody)
    with pytest.raises(ValueError, match=r"a\.b"):
        by_name([kind, kind])
