"""Background work that is repeated soon anyway survives an outage of the database with one line in the log."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sitewright.kit.failures import is_database_unavailable, is_transient


@contextmanager
def tolerate_outage(name: str) -> Iterator[None]:
    """Log and swallow what a later attempt may not meet: an unavailable database, a lock, a timeout."""
    try:
        yield
    except Exception as error:
        if not is_database_unavailable(error) and not is_transient(error):
            raise
        logging.getLogger(f"sitewright.{name}").warning("tried again later: %s", type(error).__name__)
