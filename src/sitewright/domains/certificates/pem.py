"""Parses PEM as people paste it: blocks between BEGIN and END lines, with arbitrary text around them."""

import base64
import binascii
import re
from collections.abc import Iterator

import msgspec

from sitewright.domains.certificates.reasons import InvalidValue

_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class Block(msgspec.Struct, frozen=True):
    label: str
    """For example PRIVATE KEY, from BEGIN PRIVATE KEY."""
    is_encrypted: bool
    content: bytes

    def __repr__(self) -> str:
        return f"Block({self.label})"


def read_blocks(text: str) -> list[Block]:
    """Newlines may be real, or escaped as a backslash and an n."""
    plain = text.replace("\\r", "\n").replace("\\n", "\n").replace("\r", "\n")
    if _CONTROL.search(plain):
        raise InvalidValue("must not hold control characters. Send the PEM file as it is, as text", "controlCharacters")
    blocks: list[Block] = []
    lines = iter(plain.split("\n"))
    for line in lines:
        begin = _BEGIN.fullmatch(line.strip())
        if begin is not None:
            blocks.append(_block(begin[1], _until_end(lines, f"-----END {begin[1]}-----")))
    return blocks


def _until_end(lines: Iterator[str], end: str) -> list[str]:
    inside: list[str] = []
    for line in lines:
        if line.strip() == end:
            return inside
        inside.append(line.strip())
    raise InvalidValue(f"is cut off: the line {end} is missing. Send the PEM file whole", "cutOff", line=end)


def _block(label: str, lines: list[str]) -> Block:
    headers = [line for line in lines if ":" in line]
    is_encrypted = "ENCRYPTED" in label or any("ENCRYPTED" in line for line in headers)
    if is_encrypted:
        return Block(label, is_encrypted=True, content=b"")
    encoded = "".join(line for line in lines if ":" not in line)
    try:
        return Block(label, is_encrypted=False, content=base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        raise InvalidValue("is damaged: the text between BEGIN and END is not base64", "notBase64") from None
