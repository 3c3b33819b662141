"""No name, subject or address can add a header, a recipient or a second sender to a mail."""

import email
import email.policy

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from sitewright.accounts.users.mails import WELCOME
from sitewright.kit import clock
from sitewright.kit.mail.message import Sender, compose, parse_sender
from sitewright.kit.mail.rendering import Rendered, render
from sitewright.kit.mail.samples import BRAND, sample_recipient
from sitewright.kit.mail.store import OwnTemplate, WaitingMail

HEADERS = [
    "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Reply-To", "Content-Language",
    "Content-Type",
]  # fmt: skip
MAIL = WaitingMail(brand_ref=1, ref=1, user_ref=1, kind="welcome", facts=None, created_at=clock.real_now(), attempts=1)
NASTY = st.text(max_size=200) | st.text('ab \r\n\t\0\x0b\x85\u2028<>",;:@\\()[]=?äß', max_size=200)


@hypothesis_settings(max_examples=300, deadline=None)
@given(NASTY, NASTY, st.sampled_from(["ann@mail.example", "jörg@mail.example", "ann@straße.example"]))
def test_names_and_subjects_cannot_inject_headers(name: str, subject: str, recipient: str) -> None:
    rendered = Rendered(language="en", subject=subject, text="text", html="html")
    sender = Sender(name, "no-reply@example.com")
    composed = compose(MAIL, recipient, rendered, sender, clock.real_now(), "support@example.com")
    parsed = email.message_from_bytes(composed.content, policy=email.policy.default.clone(utf8=True))
    assert parsed.keys() == HEADERS
    assert [address.addr_spec for address in parsed["From"].addresses] == ["no-reply@example.com"]
    assert len(parsed["To"].addresses) == 1
    assert all(len(line) < 998 for line in composed.content.split(b"\r\n"))


@pytest.mark.parametrize("name", ["Ann\r\nBcc: all@mail.example", "Ann\nX: 1", "Ann\u2028Bcc: a@b.example", "Ann\0"])
def test_a_first_name_in_a_subject_stays_in_the_subject(name: str) -> None:
    own = {("en", "welcome"): OwnTemplate("Hi {{ firstName }}!\nBcc: evil@mail.example", "text", None)}
    rendered = render(WELCOME, msgspec.structs.replace(sample_recipient("en"), first_name=name), {}, BRAND, own)
    composed = compose(
        MAIL, "ann@mail.example", rendered, Sender("", "no-reply@example.com"), clock.real_now(), BRAND.contact
    )
    parsed = email.message_from_bytes(composed.content, policy=email.policy.default)
    assert parsed.keys() == HEADERS
    assert "Bcc" not in parsed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann <ann@mail.example>", Sender("Ann", "ann@mail.example")),
        ('"Ann, B." <ann@mail.example>', Sender("Ann, B.", "ann@mail.example")),
        ("ann@mail.example", Sender("", "ann@mail.example")),
        ("<ann@mail.example>", Sender("", "ann@mail.example")),
        ("Ann", None),
        ("", None),
        ("Ann <ann@mail.example> and more", None),
        ("Ann <ann@mail.example>, <bob@mail.example>", None),
        ("Ann\n<ann@mail.example>", None),
        ("ann@localhost", None),
    ],
)
def test_senders(text: str, expected: Sender | None) -> None:
    assert parse_sender(text) == expected


@hypothesis_settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=400)
    | st.lists(st.sampled_from(["a", ".", "-- ", "=3D", "From me", "ä", "x" * 1500])).map("\n".join)
)
def test_any_text_arrives_unchanged(text: str) -> None:
    rendered = Rendered(language="en", subject="s", text=text, html="<p>html</p>")
    composed = compose(MAIL, "a@mail.example", rendered, Sender("", "b@mail.example"), clock.real_now())
    parsed = email.message_from_bytes(composed.content, policy=email.policy.default)
    plain, html = (part.get_payload(decode=True) for part in parsed.iter_parts())
    assert isinstance(plain, bytes)
    assert plain.decode().splitlines() == text.splitlines()
    assert html == b"<p>html</p>"
    assert all(len(line) < 998 for line in composed.content.split(b"\r\n"))
