"""The response for work that is not done yet: 202, preceded by a 102 where the client and proxies can handle it.

The specification requires a 102. Alone, it leaves most clients waiting for a final response; some take it as the
response, others read on to the 202. Both are sent in one write (`Connection`), so that no client takes the 202 for the
response to its next request.
"""

import msgspec

from sitewright.kit.http.call import Call
from sitewright.kit.http.responses import Response
from sitewright.kit.origin import came_through_proxy

STATUS = 202
RETRY_AFTER = 2
"""Seconds after which the client should retry."""


class Pending(msgspec.Struct, frozen=True):
    """An endpoint returns this in place of its response while the requested work is in progress."""


def pending_response(call: Call) -> Response:
    headers = call.response_headers | {"Retry-After": str(RETRY_AFTER)}
    return Response(STATUS, b"", headers, after_processing=_takes_interim(call))


def _takes_interim(call: Call) -> bool:
    """Not through proxies, trusted or not: some take a 102 for the final response and misassign later ones."""
    setting = call.resources.settings.pending_status
    if setting != "auto":
        return setting == "102+202"
    request = call.request
    return not (request.origin.is_forwarded or came_through_proxy(request.headers))
