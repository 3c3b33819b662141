"""Names and values from requests: refused with a message, or valid in DNS."""

import contextlib

import dns.name
from hypothesis import example, given
from hypothesis import strategies as st

from sitewright.domains.dns.names import full_name
from sitewright.domains.dns.records.store import NewRecord
from sitewright.domains.dns.rrsets import TYPES, canonical, parsed, presentation
from sitewright.domains.dns.values import InvalidValue, canonical_value
from tests.domains.dns.conftest import DOMAIN

TEXTS = st.one_of(
    st.text(max_size=300),
    st.text(st.sampled_from('ab.-_*@\\" 0123456789:;=/'), max_size=80),
    st.sampled_from(["*", "*.", "*.*", "..", "a" * 64, f".{DOMAIN}", f"{DOMAIN}.{DOMAIN}", '0 issue "\\"', "1 2 ."]),
)


@given(TEXTS)
def test_a_name_is_refused_or_in_the_zone(text: str) -> None:
    with contextlib.suppress(ValueError):
        name = full_name(text, DOMAIN)
        assert name == DOMAIN or name.endswith(f".{DOMAIN}")
        assert dns.name.from_text(name).is_subdomain(dns.name.from_text(DOMAIN))
        assert full_name(name, DOMAIN) == name


@example("CAA", '0 issue "a\nb"', None)
@example("CAA", "0 issue a\x7fb", None)
@given(st.sampled_from(TYPES), TEXTS, st.one_of(st.none(), st.integers(-1, 70000)))
def test_a_value_is_refused_or_one_record(kind: str, text: str, priority: int | None) -> None:
    value = canonical_value(kind, text, priority)
    if isinstance(value, InvalidValue):
        assert value.field in ("value", "priority")
        assert str(value.reason)
        return
    record = NewRecord(type=kind, name=DOMAIN, value=value, ttl=60, priority=priority, owner="holder")
    sent = canonical(kind, presentation(record))
    assert parsed(kind, sent) == (value, priority)
    assert canonical_value(kind, value, priority) == value
