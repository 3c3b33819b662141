"""The certificate authorities that the tests' clients trust, read once, since reading them takes longer than most
tests."""

import ssl

TRUST = ssl.create_default_context()
