"""Properties of the plan: applied, it gives the desired zone; what account holders set is never lost."""

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from sitewright.domains.dns.planner import Plan, plan
from sitewright.domains.dns.records.store import NewRecord, RecordRow
from sitewright.domains.dns.rrsets import Key, RRset, Zone, parsed, presentation, rrset, rrsets_of
from sitewright.domains.dns.rules import conflict
from sitewright.domains.dns.store import Zone as ZoneRow
from sitewright.domains.dns.template import TemplateRecord
from sitewright.domains.dns.zones import compare, desired, existing, found_in
from tests.domains.dns.conftest import DOMAIN, changed

NAMES = st.sampled_from([DOMAIN, f"www.{DOMAIN}", f"_dmarc.{DOMAIN}", f"a.{DOMAIN}", f"b.{DOMAIN}"])
ADDRESSES = st.integers(1, 6).map(lambda number: f"192.0.2.{number}")
HOSTS = st.sampled_from([f"a.{DOMAIN}", "b.example.net", "c.example.net"])
TEXTS = st.one_of(
    st.sampled_from(["v=spf1 -all", "v=spf1 mx ~all", "v=DMARC1; p=none", "hello"]),
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=300),
)
TTLS = st.sampled_from([60, 300, 3600])


def contents() -> st.SearchStrategy[tuple[str, str, int | None]]:
    """Type, value and priority."""
    return st.one_of(
        st.tuples(st.just("A"), ADDRESSES, st.none()),
        st.tuples(st.just("CNAME"), HOSTS, st.none()),
        st.tuples(st.just("MX"), st.one_of(HOSTS, st.just(".")), st.sampled_from([0, 10])),
        st.tuples(st.just("TXT"), TEXTS, st.none()),
        st.tuples(st.just("SRV"), HOSTS.map(lambda host: f"1 443 {host}"), st.just(0)),
        st.tuples(st.just("CAA"), st.just('0 issue "ca.example"'), st.none()),
    )


@st.composite
def rrsets(draw: st.DrawFn) -> RRset:
    name, ttl = draw(NAMES), draw(TTLS)
    return rrset(Key(name, "A"), ttl, draw(st.lists(ADDRESSES, min_size=1)))


def zones() -> st.SearchStrategy[Zone]:
    return st.lists(rrsets(), max_size=12).map(lambda found: {each.key: each for each in found})


@st.composite
def records(draw: st.DrawFn, owner: str) -> list[RecordRow]:
    """Records that the API accepts one after the other."""
    accepted: list[RecordRow] = []
    for name, (kind, value, priority) in draw(st.lists(st.tuples(NAMES, contents()), max_size=8)):
        new = NewRecord(type=kind, name=name, value=value, ttl=draw(TTLS), priority=priority, owner=owner)
        if not conflict(new, existing(accepted), DOMAIN):
            ref = len(accepted) + (1 if owner == "holder" else 1000)
            accepted.append(RecordRow(ref, kind, name, value, new.ttl, priority, owner, None, False))
    return accepted


TEMPLATES = st.lists(
    st.builds(
        lambda name, content, slot: TemplateRecord(slot, content[0], name, content[1], content[2]),
        NAMES,
        contents(),
        st.sampled_from(["one", "two", "three"]),
    ),
    max_size=8,
)


def zone_row(holder_slots: Sequence[str] = ()) -> ZoneRow:
    now = datetime.now(UTC)
    return ZoneRow(1, 1, DOMAIN, "powerdns", "", list(holder_slots), 0, None, now, None, None, [], None, None, None)


@given(zones(), zones())
def test_the_plan_leads_to_the_desired_zone(wanted: Zone, actual: Zone) -> None:
    planned = plan(wanted, actual)
    assert changed(actual, planned.changes) == wanted
    assert not plan(wanted, wanted).changes
    removals = [change.after is None for change in planned.changes]
    assert removals == sorted(removals, reverse=True)


@given(zones(), zones())
def test_additions_never_wait_for_an_operator(wanted: Zone, actual: Zone) -> None:
    planned = plan(actual | wanted, actual)
    untouched = all(actual[key] == wanted[key] for key in actual.keys() & wanted.keys())
    assert not (untouched and planned.affected)
    assert 0 <= planned.affected <= planned.existing == sum(len(each.values) for each in actual.values())


@given(records("holder"), TEMPLATES, st.lists(st.sampled_from(["one", "two"])))
def test_records_of_the_holder_are_never_lost(
    own: list[RecordRow], template: list[TemplateRecord], slots: list[str]
) -> None:
    difference = compare(template, own, zone_row(slots))
    assert not difference.obsolete
    assert not {each.slot for each in difference.missing} & set(slots)
    added = [
        RecordRow(2000 + number, each.type, each.name, each.value, each.ttl, each.priority, "service", each.slot, False)
        for number, each in enumerate(difference.missing)
    ]
    zone = desired([*own, *added])
    for record in own:
        assert set(rrsets_of([record])[Key(record.name, record.type)].values) <= set(
            zone[Key(record.name, record.type)].values
        )
    names_with_alias = {key.name for key in zone if key.type == "CNAME" and any(each.name == key.name for each in own)}
    assert all(key.type == "CNAME" for key in zone if key.name in names_with_alias)
    again = compare(template, [*own, *added], zone_row(slots))
    assert not again.obsolete


@given(records("holder"))
def test_adopted_records_give_the_zone_that_was_found(found: list[RecordRow]) -> None:
    actual = desired(found)
    adopted = found_in(actual, [], zone_row())
    rows = [
        RecordRow(number, each.type, each.name, each.value, each.ttl, each.priority, "holder", None, False)
        for number, each in enumerate(adopted.records)
    ]
    assert desired(rows) == actual


@given(contents())
def test_presentation_and_parsing_are_opposites(content: tuple[str, str, int | None]) -> None:
    kind, value, priority = content
    record = NewRecord(type=kind, name=DOMAIN, value=value, ttl=60, priority=priority, owner="holder")
    assert parsed(kind, presentation(record)) == (value, priority)


def test_a_third_of_ten_records_waits_for_an_operator() -> None:
    def zone(values: int) -> Zone:
        key = Key(DOMAIN, "A")
        return {key: rrset(key, 60, [f"192.0.2.{number}" for number in range(values)])}

    def waits(existing: int, left: int) -> bool:
        planned: Plan = plan(zone(left), zone(existing))
        return planned.needs_operator

    assert not waits(9, 1)
    assert not waits(10, 7)
    assert waits(10, 6)
    assert waits(20, 13)
    assert not waits(10, 30)
