"""Generate host names below a brand's domain for `createDemoDomain`, from the user name."""

import re
import secrets
import unicodedata
from collections.abc import Iterator

from sitewright.kit.hosts import MAX_HOST, normalize
from sitewright.sites.sites.domains.reserved_names import RESERVED
from sitewright.tenants.brands.schemas import BrandSettings

MAX_LABEL = 63
NUMBERED = 30
"""How many numbered names are tried before random ones."""
RANDOM = 10
_FALLBACK = "site"
_SHORTEST = len(_FALLBACK) + 1 + 8
_NOT_DECOMPOSED = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})
_OTHERS = re.compile(r"[^a-z0-9]+")


def problem_with(brand: BrandSettings) -> str | None:
    """Return why no name can be generated below the brand's domain; None if one can."""
    if brand.domain is None:
        return "your brand has no domain to put a name below; send domain"
    return None if _longest(brand.domain) >= _SHORTEST else "your brand's domain is too long; send domain"


def candidates(brand: BrandSettings, user_ref: int, username: str) -> Iterator[str]:
    """Yield host names to try: from the user name, then numbered, then random ones.

    The user's ref replaces a user name that is reserved or has no Latin letters: `admin-2` would look like the brand's
    own page.
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
            yield normalize(f"{label}.{domain}")


def _longest(domain: str) -> int:
    return min(MAX_LABEL, MAX_HOST - 1 - len(normalize(domain)))


def _label(username: str) -> str:
    """Convert the user name (before the @) to letters a to z, digits and single hyphens."""
    folded = username.partition("@")[0].casefold().translate(_NOT_DECOMPOSED)
    plain = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode().lower()
    return _OTHERS.sub("-", plain).strip("-")
