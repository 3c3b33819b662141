"""Answers health checks that look for this service below the path of ACME challenges, without the database."""

from sitewright.edge.request import Host, SiteRequest
from sitewright.edge.response import NO_STORE, Response, page_response
from sitewright.kit import challenge_probe
from sitewright.kit.sealing import Sealer

PATH = challenge_probe.PATH.encode()
PLAIN_TEXT = "text/plain; charset=utf-8"


def respond(sealer: Sealer, request: SiteRequest, host: Host) -> Response | None:
    """None where the path holds no nonce."""
    nonce = request.raw_path.removeprefix(PATH).decode("latin-1")
    if not challenge_probe.is_nonce(nonce):
        return None
    request.route = "probe"
    text = challenge_probe.answer_to(sealer, host.name, nonce)
    return page_response("page", 200, text.encode(), PLAIN_TEXT, (NO_STORE,))
