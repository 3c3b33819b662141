"""Large signed forms: parsed one at a time with a bounded queue, and with oauthlib's result."""

import asyncio
import threading
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oauthlib.common import urldecode

from sitewright.kit.auth import oauth1
from sitewright.kit.auth.large_forms import QUEUE_SIZE, LargeForms
from sitewright.kit.problems import Unavailable
from tests.kit.oauth1_support import signed_get

PIECES = ["a", "=", "&", "+", "_", ".", "%", "%3D", "%3d", "%0A", "%C3%A9", "%C3", "%FF", "%2"]
encoded = st.lists(st.sampled_from(PIECES))


async def test_they_are_parsed_in_one_thread_with_a_bounded_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on, threads, forms = threading.Event(), set[str](), LargeForms()
    read_claim, parts = oauth1.read_claim, signed_get().parts

    def read(parts: oauth1.SignedParts) -> oauth1.Claim:
        threads.add(threading.current_thread().name)
        may_go_on.wait()
        return read_claim(parts)

    monkeypatch.setattr(oauth1, "read_claim", read)
    one = [asyncio.create_task(forms.read_claim(parts, "192.0.2.1")) for _ in range(QUEUE_SIZE)]
    await asyncio.wait(one, return_when=asyncio.FIRST_COMPLETED)
    others = [asyncio.create_task(forms.read_claim(parts, f"192.0.2.{n}")) for n in range(2, 2 + QUEUE_SIZE)]
    await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
    may_go_on.set()
    responses = await asyncio.gather(*one, *others, return_exceptions=True)
    refused = [response for response in responses if isinstance(response, Unavailable)]
    assert [isinstance(response, oauth1.Claim) for response in responses[:QUEUE_SIZE]].count(True) == QUEUE_SIZE // 2
    assert len(refused) == QUEUE_SIZE
    assert all(int(each.headers["Retry-After"]) >= 1 for each in refused)
    assert threads == {"large-forms_0"}


@given(parts=encoded)
def test_fields_are_decoded_as_oauthlib_decodes_them(parts: list[str]) -> None:
    form = "".join(parts)
    try:
        expected = urldecode(form)
    except ValueError:
        with pytest.raises(ValueError, match="form-encoded"):
            oauth1._decoded(form)
    else:
        assert oauth1._decoded(form) == expected


@given(text=st.text())
def test_values_are_encoded_as_urllib_encodes_them(text: str) -> None:
    assert oauth1._encoded(text) == quote(text, safe="~")
