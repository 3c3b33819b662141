"""`/signing-keys/<purpose>`: the public keys of the service, in PEM, for everybody who verifies a signature of it."""

from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import NotFound
from sitewright.kit.resources import Resources
from sitewright.kit.signing import service

PEM = "application/x-pem-file"
HEADERS = {"cache-control": "public, max-age=3600"}
PUBLIC = (
    PublicRoute(
        path="/signing-keys/{purpose:str}",
        operation_id="getSigningKey",
        summary="A public key of the service, in PEM.",
        description=(
            "With it anybody can verify what the service has signed. `erasures` is the key of the receipts of"
            " `GET /sites/:siteRef/erasure`. Anonymous. The key changes only if the"
            " operator loses the master key: compare the beginning of its SHA-256 with the `keyId` of the receipt."
        ),
        responses={200: "The public key: Ed25519, SubjectPublicKeyInfo in PEM."},
        media_type=PEM,
        errors=(NotFound,),
    ),
)


async def show_key(resources: Resources, purpose: str) -> Response:
    known = next((each for each in service.PURPOSES if each == purpose), None)
    if known is None:
        raise NotFound
    async with resources.database.connection() as connection:
        key = await service.public_key(connection, resources.sealer, known)
    return Response(200, key.encode(), HEADERS, PEM)


PAGES = [PublicPage(PUBLIC[0], show_key)]
