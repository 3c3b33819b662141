"""TLS contexts of servers: TLS 1.2 and 1.3, only cipher suites with forward secrecy and AEAD; ALPN HTTP/1.1."""

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
"""For TLS 1.2; all suites of TLS 1.3 have these properties."""
ALPN = ["http/1.1"]


def server_context(chain: bytes, key: bytes) -> ssl.SSLContext:
    """`chain`: certificates as PEM, the server's own first. Raises `ssl.SSLError` if the key does not match the
    certificate, or if either is too weak for OpenSSL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(SUITES)
    context.set_alpn_protocols(ALPN)
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.options &= ~ssl.OP_CIPHER_SERVER_PREFERENCE  # clients prefer the suites that their hardware accelerates
    _load(context, chain.rstrip() + b"\n" + key)
    return context


def _load(context: ssl.SSLContext, pem: bytes) -> None:
    """Python loads certificates only from files: use a private in-memory file."""
    with os.fdopen(os.memfd_create("certificate"), "wb") as file:
        file.write(pem)
        file.flush()
        # An empty password, or OpenSSL would prompt on the terminal for an encrypted key.
        context.load_cert_chain(f"/proc/self/fd/{file.fileno()}", password="")
