"""Validation of links that callers send for emails and redirects: absolute, unambiguous http or https URLs.

Browsers, mail programs and this check must agree on the host, or the list of allowed hosts could be bypassed. So what
they parse differently is rejected: user info, backslashes, spaces, control characters, non-ASCII hosts.
"""

import re
from collections.abc import Collection
from ipaddress import IPv6Address
from urllib.parse import quote

MAX_LINK = 2000
_REFUSED = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\\]")
# Without ASCII, IGNORECASE takes the Kelvin sign for a k and the long s for an s.
_ANY_CASE = re.IGNORECASE | re.ASCII
_LINK = re.compile(r"https?://(?P<authority>[^/?#]+)", _ANY_CASE)
_AUTHORITY = re.compile(r"(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?", _ANY_CASE)
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_KEPT_AS_WRITTEN = "%:/?#[]@!$&'()*+,;=-._~"


def check_link(text: str, allowed_hosts: Collection[str] = ()) -> str:
    """`text` as a link for emails: the scheme in lower case, characters that URLs do not allow percent-encoded.

    Without `allowed_hosts`, any host is allowed. Raises ValueError with a message for the caller.
    """
    if len(text) > MAX_LINK:
        raise ValueError(f"must hold at most {MAX_LINK} characters")
    if _REFUSED.search(text):
        raise ValueError("must not hold spaces, control characters or backslashes")
    host = host_of(text)
    if allowed_hosts and host not in allowed_hosts:
        raise ValueError(f"must lead to a host that this brand allows: {', '.join(sorted(allowed_hosts))}")
    scheme, _, rest = text.partition(":")
    return f"{scheme.lower()}:{quote(rest, safe=_KEPT_AS_WRITTEN)}"


def with_parameter(url: str, name: str, value: str) -> str:
    """`url` with a parameter appended to its query, before any fragment."""
    address, hash_sign, fragment = url.partition("#")
    separator = "?" if "?" not in address else "" if address[-1] in "?&" else "&"
    return f"{address}{separator}{name}={quote(value, safe='')}{hash_sign}{fragment}"


def host_of(link: str) -> str:
    """The host in lower case, without port or trailing dot. Raises ValueError with a message for the caller."""
    found = _LINK.match(link)
    if found is None:
        raise ValueError("must be an absolute http or https URL")
    if "@" in found["authority"]:
        raise ValueError("must not hold a user name or password")
    authority = _AUTHORITY.fullmatch(found["authority"])
    if authority is None or int(authority["port"] or 0) > 65535:
        raise ValueError("must name a host in ASCII (xn-- for other alphabets), and at most a port from 0 to 65535")
    if authority["ipv6"] is not None:
        return _ipv6(authority["ipv6"])
    name: str = authority["name"].lower().removesuffix(".")
    if not _NAME.fullmatch(name):
        raise ValueError("must name a host of at most 253 characters, at most 63 between dots")
    return name


def _ipv6(text: str) -> str:
    try:
        return f"[{IPv6Address(text)}]"
    except ValueError:
        raise ValueError("must name a host; this is no IPv6 address") from None
