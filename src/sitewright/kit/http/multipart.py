"""A streaming parser of multipart/form-data (RFC 7578): files pass through in chunks, nothing is kept."""

import re
from collections.abc import AsyncIterable, AsyncIterator
from urllib.parse import unquote

import msgspec

from sitewright.kit.problems import Invalid

MULTIPART = "multipart/form-data"
MAX_PART_HEADER_BYTES = 8 * 1024
MAX_BOUNDARY = 70
MAX_FIELDS = 1000
_BOUNDARY = re.compile(r';\s*boundary=(?:"([^"]+)"|([^\s;"]+))', re.IGNORECASE)
_DISPOSITION = re.compile(rb"^content-disposition[ \t]*:[ \t]*form-data(.*)$", re.IGNORECASE | re.MULTILINE)
_PARAMETER = re.compile(r';\s*(name|filename\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))', re.IGNORECASE)


class MalformedMultipart(Invalid):
    code = "malformedMultipart"
    title = "The form cannot be read"
    detail = "Send multipart/form-data as RFC 7578 describes it: parts with names, separated by the boundary."


class Part(msgspec.Struct, frozen=True):
    """The beginning of a part; its content follows."""

    name: str
    filename: str | None


def boundary_of(content_type: str) -> bytes:
    """The boundary that the whole Content-Type header names."""
    found = _BOUNDARY.search(content_type)
    boundary = (found[1] or found[2]) if found else ""
    if not 1 <= len(boundary) <= MAX_BOUNDARY or not boundary.isascii():
        raise MalformedMultipart("The Content-Type names no boundary of at most 70 characters.")
    return boundary.encode()


async def read_parts(chunks: AsyncIterable[bytes], boundary: bytes) -> AsyncIterator[Part | bytes]:
    """Each part as a `Part`, followed by its content in any number of chunks. All of `chunks` are read."""
    parser = _Parser(b"\r\n--" + boundary)
    async for chunk in chunks:
        for event in parser.feed(chunk):
            yield event
    if not parser.is_complete:
        raise MalformedMultipart("The form ends before its closing boundary.")


def parse_multipart(body: bytes, boundary: bytes) -> dict[str, str | bytes]:
    """A complete form: files as bytes, other fields as text. A file that was not chosen is left out."""
    parser, fields, contents = _Parser(b"\r\n--" + boundary), [], []
    for event in parser.feed(body):
        if isinstance(event, Part):
            fields.append(event)
            contents.append(bytearray())
        else:
            contents[-1] += event
    if not parser.is_complete:
        raise MalformedMultipart("The form ends before its closing boundary.")
    if len(fields) > MAX_FIELDS:
        raise MalformedMultipart(f"The form may hold at most {MAX_FIELDS} fields.")
    pairs = zip(fields, contents, strict=True)
    return {each.name: _value(each, bytes(content)) for each, content in pairs if each.filename is None or content}


def _value(part: Part, content: bytes) -> str | bytes:
    if part.filename is not None:
        return content
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedMultipart(f"The field {part.name[:100]} is not UTF-8.") from None


class _Parser:
    """Holds back only what may be the beginning of a delimiter, or the headers of a part."""

    def __init__(self, delimiter: bytes) -> None:
        self._delimiter = delimiter
        self._held = bytearray(b"\r\n")  # the first delimiter begins the body, without the line break before it
        self._in_content = False
        self._in_headers = False
        self.is_complete = False

    def feed(self, chunk: bytes) -> list[Part | bytes]:
        if self.is_complete:
            return []  # the epilogue
        self._held += chunk
        events: list[Part | bytes] = []
        while self._step(events):
            pass
        return events

    def _step(self, events: list[Part | bytes]) -> bool:
        """Whether there is more to do with what is held."""
        return self._read_headers(events) if self._in_headers else self._read_content(events)

    def _read_content(self, events: list[Part | bytes]) -> bool:
        """Content of a part, or the preamble, up to the next delimiter."""
        at = self._held.find(self._delimiter)
        end = at if at >= 0 else max(0, len(self._held) - len(self._delimiter) + 1)
        if end and self._in_content:
            events.append(bytes(self._held[:end]))
        del self._held[:end]
        if at >= 0:
            self._in_headers, self._in_content = True, False
        return at >= 0

    def _read_headers(self, events: list[Part | bytes]) -> bool:
        """The rest of the delimiter's line, then headers up to an empty line."""
        after = len(self._delimiter)
        if self._held[after : after + 2] == b"--":
            self.is_complete = True
            return False
        end = self._held.find(b"\r\n\r\n", after)
        if end < 0:
            if len(self._held) > MAX_PART_HEADER_BYTES:
                raise MalformedMultipart("The headers of a part are too long.")
            return False
        headers = bytes(self._held[after : end + 2])
        if end > MAX_PART_HEADER_BYTES or headers[: headers.find(b"\r\n")].strip(b" \t"):
            raise MalformedMultipart
        events.append(_part(headers))
        del self._held[: end + 4]
        self._in_headers, self._in_content = False, True
        return True


def _part(headers: bytes) -> Part:
    found = _DISPOSITION.search(headers)
    if found is None:
        raise MalformedMultipart("A part has no Content-Disposition: form-data.")
    parameters = {name.lower(): _unquoted(quoted) or bare for name, quoted, bare in _PARAMETER.findall(_text(found[1]))}
    if not parameters.get("name"):
        raise MalformedMultipart("A part has no name.")
    filename = parameters.get("filename")
    if "filename*" in parameters:  # RFC 6266: UTF-8''%e2%82%ac.jpg
        filename = unquote(parameters["filename*"].rpartition("'")[2])
    return Part(parameters["name"], filename)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _unquoted(text: str) -> str:
    """Browsers write a quotation mark as %22, other clients with a backslash."""
    return re.sub(r"\\(.)", r"\1", text).replace("%22", '"')
