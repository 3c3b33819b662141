"""Lifecycle hooks of mailboxes, which DNS observes."""

from collections.abc import Sequence

from sitewright.kit.lifecycle import Hook

mailboxes_changed: Hook[Sequence[int]] = Hook("mailboxes_changed")
"""Account domains of these refs, of the transaction's brand, got or lost a mailbox."""
