"""Reads the server name (SNI) from a TLS ClientHello. RFC 8446, 4.1.2; RFC 6066, 3."""

import struct

RECORD, CLIENT_HELLO = b"\x16\x03", b"\x01"
"""First bytes of a handshake record (SSL 3 or later) and of a ClientHello message."""
RECORD_HEADER, MESSAGE_HEADER = 5, 4
MAX_HELLO_BYTES = 16 * 1024
"""Of a ClientHello with its record headers; browsers send about 2,000."""
MAX_RECORDS = 8
"""Records that a ClientHello may be split into; usually it is one. More are only seen in attacks."""
_RANDOM_AND_VERSION = 34
_SERVER_NAME, _HOST_NAME = 0, 0


class NotTls(Exception):
    """The bytes are not the beginning of a TLS handshake."""


class Incomplete(Exception):
    """More bytes are needed to read the ClientHello."""


def server_name(sent: bytes) -> str | None:
    """The server name; None if there is none or it is malformed, which OpenSSL then rejects by itself."""
    hello = _hello(sent)
    try:
        extensions = _extensions(hello)
        while extensions:
            kind, length = struct.unpack_from(">HH", extensions)
            if kind == _SERVER_NAME:
                return _host_name(extensions[4 : 4 + length])
            extensions = extensions[4 + length :]
    except (struct.error, IndexError, UnicodeDecodeError):
        pass
    return None


def _hello(sent: bytes) -> bytes:
    """The message without its header, reassembled from its records."""
    message, at = b"", 0
    for _ in range(MAX_RECORDS):
        head = sent[at : at + RECORD_HEADER]
        end = at + RECORD_HEADER + int.from_bytes(head[3:])
        is_empty = len(head) == RECORD_HEADER == end - at
        message += sent[at + RECORD_HEADER : end]
        if (
            not RECORD.startswith(head[:2])
            or not CLIENT_HELLO.startswith(message[:1])
            or is_empty
            or end > MAX_HELLO_BYTES
        ):
            raise NotTls
        length = MESSAGE_HEADER + int.from_bytes(message[1:MESSAGE_HEADER])
        if len(message) >= max(length, MESSAGE_HEADER):
            return message[MESSAGE_HEADER:length]
        if end > len(sent):
            raise Incomplete
        at = end
    raise NotTls


def _extensions(hello: bytes) -> bytes:
    at = _RANDOM_AND_VERSION
    at += 1 + hello[at]  # session id
    at += 2 + int.from_bytes(hello[at : at + 2])  # cipher suites
    at += 1 + hello[at]  # compression methods
    return hello[at + 2 : at + 2 + int.from_bytes(hello[at : at + 2])]


def _host_name(names: bytes) -> str | None:
    """The first entry of the list, which never has more than one."""
    kind, length = struct.unpack_from(">BH", names, 2)
    return names[5 : 5 + length].decode("ascii") if kind == _HOST_NAME else None
