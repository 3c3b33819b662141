"""Registered domains, by the public suffix list of a registry package."""

import asyncio
from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList


@cache
def _suffixes(*, with_private: bool = False) -> PublicSuffixList:
    """Parsed on first use, which takes a sixth of a second."""
    return PublicSuffixList(only_icann=not with_private)


async def load_suffixes() -> None:
    """Parse the list in a thread, before `registered_domain` would do it on the event loop."""
    if not _suffixes.cache_info().currsize:
        await asyncio.to_thread(_suffixes)


@lru_cache(maxsize=4096)
def registered_domain(host: str) -> str:
    """The domain that a registry registers: `example.co.uk` of `www.example.co.uk`. A public suffix is its own."""
    return _suffixes().privatesuffix(host) or host


@lru_cache(maxsize=4096)
def domain_of_holder(host: str) -> str:
    """As `registered_domain`, and where a company gives names below its own domain to others, each of these names."""
    return _suffixes(with_private=True).privatesuffix(host) or host


def is_top_level(label: str) -> bool:
    return bool(_suffixes().publicsuffix(label, accept_unknown=False))
