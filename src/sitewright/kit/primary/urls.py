"""Database URLs that name several hosts, as libpq writes them: postgresql://user:password@one:5432,two,[2001:db8::3]/db."""

import re

_HOSTS = re.compile(r"(?P<before>[a-z]+://(?:[^/?#]*@)?)(?P<hosts>[^/?#@]*)(?P<after>[/?#].*)?", re.DOTALL)


def split_hosts(url: str) -> list[str]:
    """One URL for each host, in their order."""
    found = _HOSTS.fullmatch(url)
    if found is None:
        return [url]
    return [f"{found['before']}{host}{found['after'] or ''}" for host in found["hosts"].split(",")]


def host_of(url: str) -> str:
    """Host and port of a URL, without user and password."""
    found = _HOSTS.fullmatch(url)
    return found["hosts"] if found else ""
