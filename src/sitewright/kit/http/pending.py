"""An answer to whoever asks about work that is not done yet: 202, and before it, where nobody stumbles over it, a 102.

The specification wants a 102. Alone it leaves most clients waiting for more; some take it as the answer, others read
on to the 202 behind it. Both leave in one write (`Connection`), so that neither mistakes the rest for its next answer.
"""

import msgspec

from sitewright.kit.http.answers import Answered
from sitewright.kit.http.call import Call
from sitewright.kit.origin import came_through_proxy

STATUS = 202
RETRY_AFTER = 2
"""Seconds after which asking again makes sense."""


class Pending(msgspec.Struct, frozen=True):
    """What an endpoint returns in place of its answer while the work it is asked about goes on."""


def pending_answered(call: Call) -> Answered:
    headers = call.answer_headers | {"Retry-After": str(RETRY_AFTER)}
    return Answered(STATUS, b"", headers, after_processing=_takes_interim(call))


def _takes_interim(call: Call) -> bool:
    """Proxies may take a 102 for the whole answer, and then mix up those that follow; also those nobody told us of."""
    chosen = call.resources.settings.pending_status
    if chosen != "auto":
        return chosen == "102+202"
    incoming = call.incoming
    return not (incoming.origin.is_forwarded or came_through_proxy(incoming.headers))
