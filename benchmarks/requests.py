"""Requests as bytes, built and signed before the clock starts."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from benchmarks.signing import Credentials, authorization


def raw_request(method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    parts = urlsplit(url)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    lines = {"Host": parts.netloc, "Content-Length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + body


def signed_request(credentials: Credentials, method: str, url: str, body: bytes = b"") -> bytes:
    headers = {"Authorization": authorization(credentials, method, url)}
    return raw_request(method, url, headers | ({"Content-Type": "application/json"} if body else {}), body)


def address_of(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 80


def user_body(brand_ref: int, name: str) -> dict[str, Any]:
    """The body of POST /users."""
    names = {"firstName": "First", "lastName": "Last", "username": name, "email": f"{name}@mail.example"}
    return names | {"brandRef": brand_ref, "password": f"password of {name}", "languageCode": "en"}
