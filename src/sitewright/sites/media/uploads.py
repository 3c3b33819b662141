"""Receiving an upload, without a connection to the database: limits, the form, decoding, storing the bytes."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from pathlib import PurePosixPath, PureWindowsPath

import msgspec
from msgspec import UNSET

from sitewright.kit.http.body_stream import BodyStream
from sitewright.kit.http.call import Request
from sitewright.kit.http.multipart import MULTIPART, MalformedMultipart, Part, boundary_of, read_parts
from sitewright.kit.problems import Invalid, Problem
from sitewright.kit.resources import Resources
from sitewright.kit.validation import MAX_TEXT, parse, parse_nested_query
from sitewright.sites.media.decoders import pictures_of
from sitewright.sites.media.errors import MediaTooLarge
from sitewright.sites.media.pictures.service import MAX_SOURCE_BYTES, Inspection, Variant
from sitewright.sites.media.schemas import MAX_ALT, NewMedia
from sitewright.sites.media.spooling import Spool, open_spool
from sitewright.sites.media.storage import service as storage
from sitewright.sites.media.storage.service import Stored

FORM_BYTES = 64 * 1024
"""What a form may have besides the file: boundaries, headers of parts, other fields."""
MAX_FIELD_BYTES = 4 * max(MAX_TEXT, MAX_ALT)
"""UTF-8 has at most four bytes for a character."""
FILE = "file"


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """A picture that was decoded and stored; its objects are pending until they are kept."""

    name: str
    alt: str
    inspection: Inspection
    compress: bool
    original: Stored
    preview: Variant
    preview_key: str


class Allowance(msgspec.Struct, frozen=True):
    """How many bytes the upload may have, and the problem where it has more."""

    bytes: int
    problem: Problem

    @classmethod
    def within(cls, left: int, exceeded: Problem) -> "Allowance":
        """`left`: the bytes that the account holder's package still allows."""
        return cls(left, exceeded) if left < MAX_SOURCE_BYTES else cls(MAX_SOURCE_BYTES, MediaTooLarge())

    def check(self, size: int) -> None:
        if size > self.bytes:
            raise self.problem


class Fields(msgspec.Struct):
    """The fields that came with the file."""

    values: dict[str, str] = {}
    filename: str = ""


async def receive(
    resources: Resources, request: Request, brand_ref: int, site_ref: int, allowance: Allowance, *, compress: bool
) -> Received:
    """Read the body, decode it, and store the original and a preview."""
    if request.stream is None:
        raise TypeError("the endpoint does not stream its body")
    async with open_spool(resources.settings) as spool:
        fields = await _read(request, request.stream, spool, allowance)
        new = parse(NewMedia, parse_nested_query(request.query) | fields.values)
        name, alt = new.name or _name_of(fields.filename), "" if new.alt is UNSET else new.alt
        async with request.stream.turn.passed_on():  # decoders have a queue of their own
            return await store_picture(resources, spool, brand_ref, site_ref, name, alt, compress=compress)


async def store_picture(
    resources: Resources, spool: Spool, brand_ref: int, site_ref: int, name: str, alt: str, *, compress: bool
) -> Received:
    """Decode a finished file, and store it with a preview."""
    made = await pictures_of(resources.settings).preview(spool.path, brand_ref, compress=compress)
    original = await storage.put(resources, brand_ref, site_ref, spool.chunks())
    stored = await storage.put(resources, brand_ref, site_ref, once(made.variant.data))
    return Received(
        name=name or f"picture.{made.inspection.format}",
        alt=alt,
        inspection=made.inspection,
        compress=compress,
        original=original,
        preview=made.variant,
        preview_key=stored.key,
    )


async def _read(request: Request, stream: BodyStream, spool: Spool, allowance: Allowance) -> Fields:
    """The file goes into the spool. A body that is not a form is the file itself."""
    if request.content_type == MULTIPART:
        boundary = boundary_of(request.headers["content-type"])
        fields = await _read_form(
            stream.chunks(allowance.bytes + FORM_BYTES, allowance.problem), boundary, spool, allowance
        )
    else:
        fields = Fields()
        async for chunk in stream.chunks(allowance.bytes, allowance.problem):
            await spool.write(chunk)
    await spool.finish()
    return fields


async def _read_form(chunks: AsyncIterable[bytes], boundary: bytes, spool: Spool, allowance: Allowance) -> Fields:
    fields, name, has_file, others = Fields(), "", False, 0
    texts: dict[str, bytearray] = {}
    async for event in read_parts(chunks, boundary):
        if isinstance(event, Part):
            name = event.name
            if name == FILE and has_file:
                raise Invalid.fields({FILE: {"invalidFile": "appears twice; upload one picture at a time"}})
            has_file |= name == FILE
            fields.filename = (event.filename or "") if name == FILE else fields.filename
        elif name == FILE:
            await spool.write(event)
            allowance.check(spool.bytes)
        else:
            others += len(event)
            if others > MAX_FIELD_BYTES:
                raise MalformedMultipart("The fields besides the file are too long.")
            texts.setdefault(name, bytearray()).extend(event)
    if not has_file:
        raise Invalid.fields({FILE: {"invalidFile": "is required: the picture, as a part of the form"}})
    fields.values = {key: text.decode("utf-8", "replace") for key, text in texts.items()}
    return fields


def _name_of(filename: str) -> str:
    """The last part of the path that some clients send, without control characters."""
    last = PureWindowsPath(PurePosixPath(filename).name).name
    return "".join(each for each in last if each.isprintable())[:MAX_TEXT]


async def once(data: bytes) -> AsyncIterator[bytes]:
    await asyncio.sleep(0)
    yield data
