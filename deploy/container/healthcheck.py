"""Exits with 0 if the part in this container responds: `healthcheck.py api` or `healthcheck.py edge`.

The API has to be ready, with a current database. The edge server has to respond at all: it serves from its cache while
the database is down.
"""

import http.client
import os
import sys

TIMEOUT_SECONDS = 4


def status_of(port: str, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=TIMEOUT_SECONDS)
    connection.request("GET", path)
    return connection.getresponse().status


def is_healthy(part: str) -> bool:
    if part == "edge":
        return status_of(os.environ.get("SITEWRIGHT_SITE_PORT", "8081"), "/") > 0
    return status_of(os.environ.get("SITEWRIGHT_API_PORT", "8080"), "/health/ready") == http.HTTPStatus.OK


if __name__ == "__main__":
    try:
        sys.exit(not is_healthy(sys.argv[1]))
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"no response: {error}")
