"""The form token of a session of an account holder (CSRF protection)."""

import hmac

TOKEN_BYTES = 32


def form_token(session: str) -> str:
    """Derive the session's form token (CSRF protection).

    Not masked in this release: nodes of the previous release, which serve the same forms during a rolling update,
    accept no other form. See decision 0088.
    """
    return _form_token(session).hex()


def is_form_token(session: str, sent: str) -> bool:
    try:
        masked = bytes.fromhex(sent)
    except ValueError:
        return False
    is_unmasked = len(masked) == TOKEN_BYTES  # as this release and the previous one send it; the next one masks
    token = masked if is_unmasked else _xor(masked[:TOKEN_BYTES], masked[TOKEN_BYTES:])
    return hmac.compare_digest(token, _form_token(session))


def _form_token(session: str) -> bytes:
    return hmac.digest(session.encode(), b"form", "sha256")


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(first ^ second for first, second in zip(one, other, strict=False))
