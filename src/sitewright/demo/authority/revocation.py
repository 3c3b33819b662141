"""revokeCert (RFC 8555, 7.6)."""

from cryptography import x509

from sitewright.demo.authority.behavior import Policy
from sitewright.demo.authority.jose import decode, key_of
from sitewright.demo.authority.keys import ari_identifier
from sitewright.demo.authority.problems import AcmeProblem, malformed, not_found
from sitewright.demo.authority.registry import Registry
from sitewright.demo.authority.requests import Signed


def revoke(registry: Registry, policy: Policy, signed: Signed) -> None:
    """By the account that ordered the certificate, or by the certificate's own key."""
    try:
        certificate = x509.load_der_x509_certificate(decode(str(signed.fields.get("certificate", ""))))
    except ValueError:
        raise malformed("the certificate is unreadable") from None
    issued = registry.issued.get(ari_identifier(certificate))
    if issued is None:
        raise not_found("the certificate")
    is_orderer = signed.account is not None and signed.account.ref == issued.account
    if not is_orderer and not (signed.jwk is not None and key_of(signed.jwk) == certificate.public_key()):
        raise AcmeProblem("unauthorized", "the certificate is another account's", 403)
    if issued.revoked is not None:
        raise AcmeProblem("alreadyRevoked", "the certificate is revoked")
    issued.revoked = policy.now()
    registry.save(issued)
