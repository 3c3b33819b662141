"""Emitted events, for the features that deliver them."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.lifecycle import Hook


class Emitted(msgspec.Struct, frozen=True, gc=False):
    """An event that was stored in the transaction, of the transaction's brand."""

    sequence: int
    kind: str
    at: datetime


events_emitted: Hook[Sequence[Emitted]] = Hook("events_emitted")
