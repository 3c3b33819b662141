"""newOrder, finalize and certificates (RFC 8555, 7.4), with `replaces` (RFC 9773) and profiles."""

import asyncio
import re
import secrets
from datetime import timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from sitewright.demo.authority.behavior import Faults, Policy
from sitewright.demo.authority.jose import PublicKey, decode, key_of
from sitewright.demo.authority.keys import Keys, ari_identifier
from sitewright.demo.authority.limiting import RateLimiter
from sitewright.demo.authority.objects import Account, Authorization, Challenge, Issued, Order
from sitewright.demo.authority.problems import AcmeProblem, malformed
from sitewright.demo.authority.registry import Registry, new_ref

ORDER_LIFETIME = timedelta(days=7)
MAX_NAMES = 100
_NAME = re.compile(r"(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])")


class Orders:
    def __init__(self, registry: Registry, policy: Policy, faults: Faults, limiter: RateLimiter, keys: Keys) -> None:
        self._registry = registry
        self._policy = policy
        self._faults = faults
        self._limiter = limiter
        self._keys = keys
        self._open = {(each.account, tuple(each.names)): each for each in registry.orders.values()}

    def create(self, account: Account, wanted: dict[str, Any]) -> Order:
        names = _names(wanted)
        profile, replaces = wanted.get("profile"), wanted.get("replaces")
        if profile is not None and profile not in self._policy.profiles:
            raise AcmeProblem("invalidProfile", f"there is no profile {profile!r}")
        if (unfinished := self._unfinished(account, names, profile, replaces)) is not None:
            return unfinished
        predecessor = None if replaces is None else self._predecessor(account, str(replaces), names)
        now = self._policy.now()
        self._faults.check_order()
        self._limiter.admit_order(account.ref, names, now, is_renewal=predecessor is not None)
        authorizations = [self._authorize(account, name) for name in names]
        order = Order(
            new_ref(),
            account.ref,
            names,
            created=now,
            expires=now + ORDER_LIFETIME,
            authorizations=[each.ref for each in authorizations],
            replaces=replaces,
            profile=profile,
        )
        if predecessor is not None:
            predecessor.replaced_by = order.ref
            self._registry.save(predecessor)
        self._open[account.ref, tuple(names)] = order
        self.update(order)
        return order

    def _unfinished(self, account: Account, names: list[str], profile: object, replaces: object) -> Order | None:
        order = self._open.get((account.ref, tuple(names)))
        if order is None or not self._policy.reuses_orders:
            return None
        self.update(order)
        is_open = order.status in ("pending", "ready") and order.expires > self._policy.now()
        return order if is_open and (order.profile, order.replaces) == (profile, replaces) else None

    def update(self, order: Order) -> None:
        """Derive the status from the authorizations until the order is finalized."""
        if order.status in ("pending", "ready"):
            states = {self._registry.authorizations[ref].status for ref in order.authorizations}
            order.status = (
                "ready" if states == {"valid"} else "pending" if states <= {"valid", "pending"} else "invalid"
            )
        self._registry.save(order)

    async def finalize(self, account: Account, order: Order, wanted: dict[str, Any]) -> None:
        self.update(order)
        if order.status != "ready":
            raise AcmeProblem("orderNotReady", f"the order is {order.status}", 403)
        self._faults.check_finalization()
        key = _requested_key(wanted, order.names, account)
        if not self._policy.finalize_seconds:
            self._issue(order, key)
            return
        order.status = "processing"
        self._registry.save(order)
        loop = asyncio.get_running_loop()
        loop.call_later(self._policy.finalize_seconds, self._issue, order, key)

    def _issue(self, order: Order, key: PublicKey) -> None:
        now = self._policy.now()
        lifetime = self._policy.profiles[order.profile] if order.profile else self._policy.lifetime
        certificate = self._keys.issue(key, order.names, now, lifetime)
        pem = certificate.public_bytes(serialization.Encoding.PEM) + self._keys.intermediate.chain
        issued = Issued(
            ari_identifier(certificate),
            order.account,
            order.ref,
            order.names,
            pem.decode(),
            certificate.not_valid_before_utc,
            certificate.not_valid_after_utc,
        )
        self._registry.save(issued)
        self._limiter.count_certificate(order.names, now, is_renewal=order.replaces is not None)
        order.certificate, order.status = issued.ref, "valid"
        self._registry.save(order)

    def _predecessor(self, account: Account, ref: str, names: list[str]) -> Issued:
        found = self._registry.issued.get(ref)
        if found is None or found.account != account.ref or not set(found.names) & set(names):
            raise malformed("the certificate to replace is unknown, another account's, or has none of the names")
        replacing = self._registry.orders.get(found.replaced_by or "")
        if replacing is not None and replacing.status != "invalid":
            raise AcmeProblem("alreadyReplaced", "another order replaces this certificate", 409)
        return found

    def _authorize(self, account: Account, name: str) -> Authorization:
        host, is_wildcard = name.removeprefix("*."), name.startswith("*.")
        if self._policy.reuses_authorizations:
            for each in self._registry.authorizations.values():
                if (each.account, each.host, each.is_wildcard) == (account.ref, host, is_wildcard) and (
                    each.status == "valid" and each.expires > self._policy.now()
                ):
                    return each
        token = secrets.token_urlsafe(32)
        challenges = [Challenge(new_ref(), "dns-01", token)]
        if not is_wildcard:
            challenges.insert(0, Challenge(new_ref(), "http-01", token))
        expires = self._policy.now() + ORDER_LIFETIME
        made = Authorization(new_ref(), account.ref, host, is_wildcard, expires, challenges)
        self._registry.save(made)
        return made


def _names(wanted: dict[str, Any]) -> list[str]:
    try:
        given = [(each["type"], each["value"]) for each in wanted["identifiers"]]
    except (KeyError, TypeError):
        raise malformed("identifiers are missing") from None
    if not 1 <= len(given) <= MAX_NAMES:
        raise malformed(f"an order has between 1 and {MAX_NAMES} identifiers")
    for kind, value in given:
        if kind != "dns" or not isinstance(value, str) or not _NAME.fullmatch(value):
            raise AcmeProblem("rejectedIdentifier", f"no certificate is issued for {value!r}")
    return sorted({value for _, value in given})


def _requested_key(wanted: dict[str, Any], names: list[str], account: Account) -> PublicKey:
    """The key of the signing request, if it is for exactly these names."""
    try:
        request = x509.load_der_x509_csr(decode(str(wanted.get("csr", ""))))
        extension = request.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (ValueError, x509.ExtensionNotFound):
        raise AcmeProblem("badCSR", "the signing request is unreadable, or has no names") from None
    key = request.public_key()
    if not request.is_signature_valid or not isinstance(key, ec.EllipticCurvePublicKey | rsa.RSAPublicKey):
        raise AcmeProblem("badCSR", "the signing request is not signed by an EC or RSA key")
    if sorted(set(extension.value.get_values_for_type(x509.DNSName))) != names:
        raise AcmeProblem("badCSR", "the signing request has other names than the order")
    if key == key_of(account.jwk):
        raise AcmeProblem("badCSR", "the certificate's key must not be the account's")
    return key
