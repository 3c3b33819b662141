"""Structured logs: one JSON object per line on standard error. Never a secret, password, key, token or body."""

import logging
import os
import select
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec

from sitewright.kit import clock

_STANDARD_ERROR = 2
_encode = msgspec.json.Encoder(enc_hook=str).encode


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": clock.real_now().isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return _encode(line).decode()


class _AbortedHandshakes(logging.Filter):
    """Leaves out that a peer closed a TLS connection while uvloop was about to write to it: uvloop reports it as an
    error with a traceback, and any visitor can cause it."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        is_closed = isinstance(error, RuntimeError) and str(error).endswith("the handler is closed")
        return not (is_closed and record.getMessage().startswith("Fatal error on SSL protocol"))


def set_up(level: int = logging.INFO) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(_AbortedHandshakes())
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for verbose in ("asyncio", "uvicorn.error", "pgqueuer"):
        logging.getLogger(verbose).setLevel(logging.WARNING)


def write_line(line: msgspec.Struct) -> None:
    """Bypass the logging module, for request logs. One write per line, so that lines are not interleaved."""
    _write(encode_line(line))


def encode_line(line: msgspec.Struct) -> bytes:
    return _encode(line) + b"\n"


def write_encoded(lines: Iterable[bytes]) -> None:
    """Write many lines in batches of at most PIPE_BUF, which a shared pipe does not interleave."""
    batch = b""
    for line in lines:
        if len(batch) + len(line) > select.PIPE_BUF:
            _write(batch)
            batch = b""
        batch += line
    _write(batch)


def _write(text: bytes) -> None:
    with suppress(OSError):  # a log that cannot be written must not end the request
        os.write(_STANDARD_ERROR, text)


def event(logger: logging.Logger, message: str, **fields: Any) -> None:
    """Log `message` with structured `fields`."""
    logger.info(message, extra={"fields": fields})
