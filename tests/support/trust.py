"""Whom the tests' clients trust: read once, since each client would read all the authorities again, which takes longer
than most tests."""

import ssl

TRUST = ssl.create_default_context()
