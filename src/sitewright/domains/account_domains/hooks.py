"""Lifecycle hooks of account domains, which features above (mailboxes, DNS) observe."""

from collections.abc import Sequence

from sitewright.kit.lifecycle import Hook

domains_registered: Hook[Sequence[int]] = Hook("domains_registered")
"""The registrar has registered the account domains of these refs, of the transaction's brand."""
domains_released: Hook[Sequence[int]] = Hook("domains_released")
"""The registrar has released the account domains of these refs, of the transaction's brand."""
domains_ended: Hook[Sequence[int]] = Hook("domains_ended")
"""The account domains of these refs, of the transaction's brand, expired or were deleted."""
