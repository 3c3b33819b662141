"""Lifecycle hooks of users, for the features above in the import order."""

from sitewright.kit.lifecycle import Hook

user_erased: Hook[int] = Hook("user_erased")
"""The user of this ref is being anonymized: delete all personal data that the feature stores about them."""
access_revoked: Hook[int] = Hook("access_revoked")
"""The user of this ref was suspended or deleted: revoke tokens that were issued before."""
