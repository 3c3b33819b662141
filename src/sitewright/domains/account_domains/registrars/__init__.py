"""Registrars, which register domains. The worker calls them outside any transaction.

A domain product names its registrar by its supplier's `className`. If no registrar was added under that name, the
built-in one is used, which keeps its register in the database and makes no network calls.
"""

from sitewright.domains.account_domains.registrars.built_in import BuiltInRegistrar
from sitewright.domains.account_domains.registrars.interface import Holder, Registrar, RegistrarRefused, Registration

__all__ = ["Holder", "Registrar", "RegistrarRefused", "Registration", "add", "registrar_of", "remove"]

BUILT_IN: Registrar = BuiltInRegistrar()
_registrars: dict[str, Registrar] = {}


def add(class_name: str, registrar: Registrar) -> None:
    """Used for the suppliers with that `className`."""
    _registrars[class_name] = registrar


def remove(class_name: str) -> None:
    del _registrars[class_name]


def registrar_of(class_name: str, *, is_test: bool) -> Registrar:
    """`is_test`: for a test brand, whose domains are never registered for real."""
    if is_test:
        return BUILT_IN
    return _registrars.get(class_name, BUILT_IN)
