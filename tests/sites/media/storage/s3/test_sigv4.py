"""Our signatures are those of botocore, for generated requests with unusual keys, queries, headers and payloads."""

import hashlib
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials as BotocoreCredentials
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sitewright.sites.media.storage.s3.sigv4 import Credentials, quote_path, quote_query, sign

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)
HEADER_VALUES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=30)
HEADERS = st.dictionaries(
    st.sampled_from(["content-md5", "content-type", "range", "x-amz-meta-name", "x-amz-acl"]), HEADER_VALUES
)
UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD"
KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")


def signed_by_botocore(
    method: str, url: str, headers: dict[str, str], payload: bytes | None, region: str
) -> AWSRequest:
    request = AWSRequest(method, url, dict(headers), b"" if payload is None else payload)
    if payload is None:
        request.context["client_config"] = Config(s3={"payload_signing_enabled": False})
    S3SigV4Auth(BotocoreCredentials(*KEYS), "s3", region).add_auth(request)
    return request


@settings(max_examples=300, deadline=None)
@given(
    method=st.sampled_from(["GET", "PUT", "POST", "DELETE", "HEAD"]),
    key=TEXT,
    query=st.dictionaries(TEXT.filter(bool), TEXT, max_size=4),
    headers=HEADERS,
    payload=st.none() | st.binary(max_size=40),
    region=st.sampled_from(["us-east-1", "eu-central-1", "auto"]),
)
@example("GET", "1/2/a b+c%2F~*'()!$&,;=:@ü/../x//y", {"uploads": "", "prefix": "1/ +&="}, {}, b"", "auto")
@example("PUT", "", {"delete": ""}, {"content-md5": "  two   spaces "}, None, "us-east-1")
def test_the_signature_is_that_of_botocore(
    method: str, key: str, query: dict[str, str], headers: dict[str, str], payload: bytes | None, region: str
) -> None:
    path, quoted = quote_path(f"/bucket/{key}"), quote_query(query.items())
    scheme = "https" if payload is None else "http"  # botocore signs every payload that is not encrypted
    url = f"{scheme}://store.example:9000{path}{'?' if quoted else ''}{quoted}"
    theirs = signed_by_botocore(method, url, headers, payload, region)
    digest = UNSIGNED_PAYLOAD if payload is None else hashlib.sha256(payload).hexdigest()
    assert theirs.headers["X-Amz-Content-SHA256"] == digest
    at = datetime.strptime(theirs.context["timestamp"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    ours = sign(method, urlsplit(url).netloc, path, quoted, headers, digest, Credentials(*KEYS, region), at)
    assert ours["authorization"] == theirs.headers["Authorization"]
    assert ours["x-amz-date"] == theirs.context["timestamp"]


@pytest.mark.parametrize("region", ["us-east-1", "eu-west-3"])
def test_neither_key_is_in_the_text_of_the_credentials(region: str) -> None:
    shown = repr(Credentials(*KEYS, region)) + str(Credentials(*KEYS, region))
    assert not any(key in shown for key in KEYS)
