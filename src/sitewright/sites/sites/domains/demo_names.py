"""Names below a brand's domain for sites that are created without one (`createDemoDomain`), from the user name."""

import re
import secrets
import unicodedata
from collections.abc import Iterator

from sitewright.kit.hosts import MAX_HOST, normalise
from sitewright.sites.sites.domains.reserved_names import RESERVED
from sitewright.tenants.brands.schemas import BrandSettings

MAX_LABEL = 63
NUMBERED = 30
"""How many names are tried before random ones."""
RANDOM = 10
_FALLBACK = "site"
_SHORTEST = len(_FALLBACK) + 1 + 8
_NOT_DECOMPOSED = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})
_OTHERS = re.compile(r"[^a-z0-9]+")


def problem_with(brand: BrandSettings) -> str | None:
    """Why no name can be generated below the brand's domain."""
    if brand.domain is None:
        return "your brand has no domain to put a name below; send domain"
    return None if _longest(brand.domain) >= _SHORTEST else "your brand's domain is too long; send domain"


def candidates(brand: BrandSettings, user_ref: int, username: str) -> Iterator[str]:
    """Host names to try, in order: the user name's own, numbered ones, random ones.

    A user name of no Latin letters, or one that is reserved, gives way to the user's ref: `admin-2` would look as if it
    were the brand's own.
    """
    domain = brand.domain or ""
    longest = _longest(domain)
    base = _label(username)
    if not base or base in RESERVED or base in brand.reserved_names:
        base = f"{_FALLBACK}-{user_ref}"
    suffixes = ["", *(f"-{number}" for number in range(2, NUMBERED + 1))]
    random = (f"-{secrets.token_hex(4)}" for _ in range(RANDOM))
    for suffix in (*suffixes, *random):
        label = base[: longest - len(suffix)].rstrip("-") + suffix
        if label not in RESERVED and label not in brand.reserved_names:
            yield normalise(f"{label}.{domain}")


def _longest(domain: str) -> int:
    return min(MAX_LABEL, MAX_HOST - 1 - len(normalise(domain)))


def _label(username: str) -> str:
    """The user name, of an e-mail address the part before the @, in letters a to z, digits and single hyphens."""
    folded = username.partition("@")[0].casefold().translate(_NOT_DECOMPOSED)
    plain = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode().lower()
    return _OTHERS.sub("-", plain).strip("-")
