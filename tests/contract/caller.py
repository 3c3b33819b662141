"""The brand's administrator as caller, with HTTP Basic or OAuth."""

import msgspec

from tests.contract.exchange import Connection, Request, Response, send_request
from tests.contract.signing import AddCredentials, basic, oauth
from tests.support.cast import Cast

AUTHENTICATION_METHODS = ("basic", "HMAC-SHA1", "HMAC-SHA256")


class Caller(msgspec.Struct, frozen=True):
    """Adds credentials to requests and sends them, each on a new connection."""

    base_url: str
    credentials: AddCredentials

    async def send_request(self, request: Request) -> Response:
        return await send_request(self.base_url, self.with_credentials(request))

    def with_credentials(self, request: Request) -> Request:
        return self.credentials(self.base_url, request)

    async def connect(self) -> Connection:
        return await Connection.open(self.base_url)


def caller_with(method: str, base_url: str, cast: Cast) -> Caller:
    return Caller(base_url, basic(cast) if method == "basic" else oauth(cast.owner, method))
