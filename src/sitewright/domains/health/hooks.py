"""Lifecycle hooks of domain health."""

from datetime import datetime
from typing import NamedTuple

from sitewright.kit.lifecycle import Hook


class HostChecked(NamedTuple):
    """What a health check of a mapped host found out for certificates."""

    domain_ref: int
    host: str
    points_here: bool | None
    """Every published address of the host is one of this service's; None: not all of them are known."""
    challenge_reachable: bool
    """Our own edge server answered at /.well-known/acme-challenge/ through every published address."""
    at: datetime
    is_requested: bool
    """Somebody asked for it; False: the schedule did."""


host_checked: Hook[HostChecked] = Hook("host_checked")
"""A mapped host of the transaction's brand was checked."""
