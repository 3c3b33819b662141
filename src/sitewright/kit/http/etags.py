"""Entity tags (RFC 9110) of files that may be stored compressed."""


def etag_matches(header: bytes, etag: bytes) -> bool:
    """Whether If-None-Match matches the file, in any encoding; `etag` without quotes and encoding suffix."""
    if header.strip() == b"*":
        return True
    tags = (tag.strip().removeprefix(b"W/").strip(b'"') for tag in header.split(b","))
    return any(tag in (etag, etag + b"-gzip") for tag in tags)


def precondition_holds(header: str | None, etag: str, *, exists: bool) -> bool:
    """Whether If-Match allows the change; `etag` without quotes.

    Weak tags count, since proxies that compress responses weaken them.
    """
    if header is None:
        return True
    if header.strip() == "*":
        return exists
    return etag in [tag.strip().removeprefix("W/").strip('"') for tag in header.split(",")]
