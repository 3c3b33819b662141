"""What happens to users that features above must follow."""

from sitewright.kit.lifecycle import Hook

user_erased: Hook[int] = Hook("user_erased")
"""The user of this ref is being anonymized: everything personal that a feature stores of them must go."""
access_revoked: Hook[int] = Hook("access_revoked")
"""The user of this ref was suspended or deleted: tokens that were issued before must not let anyone in."""
