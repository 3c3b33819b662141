"""Registrars: who registers domains in the world. Each is a few calls; the worker makes them, outside any transaction.

A domain product names its registrar by its supplier's `className`. One that is not known here is the built-in one,
which keeps a register of its own in the database and asks nobody else.
"""

from sitewright.domains.account_domains.registrars.built_in import BuiltInRegistrar
from sitewright.domains.account_domains.registrars.interface import Holder, Refused, Registrar, Registration

__all__ = ["Holder", "Refused", "Registrar", "Registration", "add", "registrar_of", "remove"]

BUILT_IN: Registrar = BuiltInRegistrar()
_registrars: dict[str, Registrar] = {}


def add(class_name: str, registrar: Registrar) -> None:
    """For the suppliers of that `className`."""
    _registrars[class_name] = registrar


def remove(class_name: str) -> None:
    del _registrars[class_name]


def registrar_of(class_name: str) -> Registrar:
    return _registrars.get(class_name, BUILT_IN)
