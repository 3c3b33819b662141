"""Responses to http-01 challenges of certificate authorities, from the database, on every node and for every host."""

import re

from sitewright.domains.certificates.acme import service as acme
from sitewright.edge.request import Host, SiteRequest
from sitewright.edge.response import NO_STORE, Response, page_response
from sitewright.kit.resources import Resources

PREFIX = b"/.well-known/acme-challenge/"
_TOKEN = re.compile(rb"[A-Za-z0-9_-]{22,128}")
"""RFC 8555: base64url with at least 128 bits. Nothing else reaches the database."""
TEXT = "text/plain; charset=utf-8"


async def respond(resources: Resources, request: SiteRequest, host: Host) -> Response:
    request.route = "validation"
    token = request.raw_path.removeprefix(PREFIX)
    found = None
    if request.is_read and _TOKEN.fullmatch(token):
        async with resources.database.connection() as connection:
            found = await acme.key_authorization(connection, host.name, token.decode("ascii"))
    if found is None:
        return page_response("not-found", 404, b"There is no such challenge.\n", TEXT, (NO_STORE,))
    return page_response("page", 200, found.encode(), "application/octet-stream", (NO_STORE,))
