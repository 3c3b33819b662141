"""TLS as visitors get it: 1.2 and 1.3, with suites that authenticate what they encrypt and keep no secret for later;
HTTP/1.1 inside."""

import os
import ssl

SUITES = ":".join(
    (
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        "ECDHE-RSA-AES128-GCM-SHA256",
        "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384",
        "ECDHE-ECDSA-CHACHA20-POLY1305",
        "ECDHE-RSA-CHACHA20-POLY1305",
    )
)
"""Of TLS 1.2; all of 1.3 are as good."""
ALPN = ["http/1.1"]


def server_context(chain: bytes, key: bytes) -> ssl.SSLContext:
    """`chain`: certificates as PEM, the server's own first. Raises `ssl.SSLError` for what OpenSSL would not serve: the
    key of another certificate, or one that is too weak."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(SUITES)
    context.set_alpn_protocols(ALPN)
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.options &= ~ssl.OP_CIPHER_SERVER_PREFERENCE  # clients know which of these they are quick at
    _load(context, chain.rstrip() + b"\n" + key)
    return context


def _load(context: ssl.SSLContext, pem: bytes) -> None:
    """Python reads certificates from files alone: this one is in memory, and nobody else's."""
    with os.fdopen(os.memfd_create("certificate"), "wb") as file:
        file.write(pem)
        file.flush()
        # With a password, or OpenSSL would ask the terminal for the one of an encrypted key.
        context.load_cert_chain(f"/proc/self/fd/{file.fileno()}", password="")
