"""One-time tokens of account holders. All are declared here, where they are revoked; features above issue them."""

from datetime import timedelta

from sitewright.kit.tokens import TokenKind

LOGIN_TOKEN = TokenKind("login", timedelta(hours=1))
RESET_TOKEN = TokenKind("reset", timedelta(hours=1))
VERIFICATION_TOKEN = TokenKind("verification", timedelta(hours=24))
EMAIL_CHANGE_TOKEN = TokenKind("emailChange", timedelta(hours=24))
