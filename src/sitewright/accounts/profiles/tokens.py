"""The one-time token that confirms a profile's address."""

from datetime import timedelta

from sitewright.kit.tokens import TokenKind

PROFILE_EMAIL_TOKEN = TokenKind("profileEmail", timedelta(hours=24))
