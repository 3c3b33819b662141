"""newAccount and accounts (RFC 8555, 7.3), with external account binding."""

from typing import Any

import msgspec

from sitewright.demo.authority.behavior import Policy
from sitewright.demo.authority.jose import Flattened, decode, thumbprint, verify_shared
from sitewright.demo.authority.objects import Account
from sitewright.demo.authority.problems import AcmeProblem, malformed
from sitewright.demo.authority.registry import Registry, new_ref
from sitewright.demo.authority.requests import Signed, account_with


class Accounts:
    def __init__(self, registry: Registry, policy: Policy) -> None:
        self._registry = registry
        self._policy = policy

    def register(self, signed: Signed) -> tuple[Account, bool]:
        """The account of the key, and whether it is new."""
        jwk, wanted = signed.new_key, signed.fields
        found = account_with(self._registry, jwk)
        if found is not None:
            return found, False
        if wanted.get("onlyReturnExisting"):
            raise AcmeProblem("accountDoesNotExist", "no account has this key")
        if not wanted.get("termsOfServiceAgreed"):
            raise AcmeProblem("userActionRequired", "the terms of service must be agreed to", 403)
        if self._policy.external_accounts:
            self._check_binding(wanted.get("externalAccountBinding"), signed)
        account = Account(new_ref(), jwk, thumbprint(jwk), _contact(wanted))
        self._registry.save(account)
        return account, True

    def change(self, signed: Signed, ref: str) -> Account:
        account = signed.sender
        if account.ref != ref:
            raise AcmeProblem("unauthorized", "this is another account", 403)
        wanted = signed.payload or {}
        if "contact" in wanted:
            account.contact = _contact(wanted)
        if wanted.get("status") == "deactivated":
            account.status = "deactivated"
        self._registry.save(account)
        return account

    def _check_binding(self, binding: object, signed: Signed) -> None:
        if binding is None:
            raise AcmeProblem("externalAccountRequired", "new accounts need an external account binding", 403)
        try:
            jws = msgspec.convert(binding, Flattened)
            header = msgspec.json.decode(decode(jws.protected), type=dict[str, Any])
            bound = msgspec.json.decode(decode(jws.payload))
        except msgspec.MsgspecError as error:
            raise malformed(f"externalAccountBinding: {error}") from error
        key = self._policy.external_accounts.get(str(header.get("kid")))
        if key is None or header.get("alg") != "HS256" or header.get("url") != signed.url or bound != signed.new_key:
            raise AcmeProblem("unauthorized", "the external account binding is for something else", 403)
        verify_shared(jws, decode(key))


def _contact(wanted: dict[str, Any]) -> list[str]:
    contact = wanted.get("contact", [])
    if not all(isinstance(each, str) and each.startswith("mailto:") and "@" in each for each in contact):
        raise AcmeProblem("unsupportedContact", "contacts are mailto: addresses")
    return list(contact)
