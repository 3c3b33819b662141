"""The name a TLS client asks for, read from the first bytes it sends. RFC 8446, 4.1.2; RFC 6066, 3."""

import struct

RECORD, CLIENT_HELLO = b"\x16\x03", b"\x01"
"""How each begins: a handshake of SSL 3 or later, and the first message of one."""
RECORD_HEAD, MESSAGE_HEAD = 5, 4
MOST_BYTES = 16 * 1024
"""Of a hello with its records' heads; browsers send two thousand."""
MOST_RECORDS = 8
"""That a hello comes in; usually it is one. Whoever cuts it into crumbs wants to be work."""
_RANDOM_AND_VERSION = 34
_SERVER_NAME, _HOST_NAME = 0, 0


class NotTls(Exception):
    """What was sent cannot become the beginning of TLS."""


class Unfinished(Exception):
    """More must come before anything can be said."""


def server_name(sent: bytes) -> str | None:
    """None: no name is asked for, or nothing that could be read; OpenSSL will have its own opinion of that."""
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
    """The message without its head, put together from as many records as it came in."""
    message, at = b"", 0
    for _ in range(MOST_RECORDS):
        head = sent[at : at + RECORD_HEAD]
        end = at + RECORD_HEAD + int.from_bytes(head[3:])
        is_empty = len(head) == RECORD_HEAD == end - at
        message += sent[at + RECORD_HEAD : end]
        if not RECORD.startswith(head[:2]) or not CLIENT_HELLO.startswith(message[:1]) or is_empty or end > MOST_BYTES:
            raise NotTls
        length = MESSAGE_HEAD + int.from_bytes(message[1:MESSAGE_HEAD])
        if len(message) >= max(length, MESSAGE_HEAD):
            return message[MESSAGE_HEAD:length]
        if end > len(sent):
            raise Unfinished
        at = end
    raise NotTls


def _extensions(hello: bytes) -> bytes:
    at = _RANDOM_AND_VERSION
    at += 1 + hello[at]  # the session's id
    at += 2 + int.from_bytes(hello[at : at + 2])  # suites
    at += 1 + hello[at]  # compression
    return hello[at + 2 : at + 2 + int.from_bytes(hello[at : at + 2])]


def _host_name(names: bytes) -> str | None:
    """The first of a list that never holds more than one."""
    kind, length = struct.unpack_from(">BH", names, 2)
    return names[5 : 5 + length].decode("ascii") if kind == _HOST_NAME else None
