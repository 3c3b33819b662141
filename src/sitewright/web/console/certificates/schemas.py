"""Schemas of the forms of certificates."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.validation import Text
from sitewright.web.console.frame.page_routes import Form


class CertificateForm(Form, frozen=True, kw_only=True):
    """A certificate with its private key, and the names to serve it for."""

    domain: Annotated[str, Text(1, 255), about("A host name of a site, or `*.parent`.", "www.example.com")]
    domains: Annotated[str, about("More names, one in each line.", "example.com")] = ""
    cert: Annotated[str, Text(1, 65_536), about("The certificate as PEM; its intermediates may follow.", "-----BEGIN")]
    intermediates: Annotated[str, about("Its intermediates as PEM, in place of those after it.", "-----BEGIN")] = ""
    key: Annotated[str, Text(1, 65_536), about("The private key as PEM, not encrypted.", "-----BEGIN")]

    def __repr__(self) -> str:
        """Without the key, so that logs never contain it."""
        return "CertificateForm(...)"


class CertificateNameForm(Form, frozen=True, kw_only=True):
    """A name that a certificate is served for."""

    name: Annotated[str, Text(1, 255), about("The name, as the page of the certificate lists it.", "www.example.com")]


class CertificateNameQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A name that a certificate is served for."""

    name: Annotated[str, Text(1, 255), about("The name, as the page of the certificate lists it.", "www.example.com")]
