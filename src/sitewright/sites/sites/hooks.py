"""What happens to sites that features above must follow."""

from collections.abc import Sequence

from sitewright.kit.lifecycle import Hook

domains_unmapped: Hook[Sequence[str]] = Hook("domains_unmapped")
"""These host names, of the transaction's brand, no longer lead to a site."""
site_erased: Hook[int] = Hook("site_erased")
"""The site of this ref was deleted for good: nothing that names it may remain."""
