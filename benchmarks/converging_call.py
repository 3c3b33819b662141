"""The converging call for an account that is as described, compared with a GET of its user."""

from functools import partial
from typing import Any

import httpx
import msgspec

from benchmarks.contest import Caller, Contestant, interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.requests import raw_request
from benchmarks.service import Service
from benchmarks.signing import authorization

WITHOUT_CHANGES = Goal("converging call without changes / GET of the user", 0.3)
BRAND = 1
DESCRIPTION: dict[str, Any] = {
    "accountHolder": {
        "firstName": "Joe",
        "lastName": "Baker",
        "username": "joes-bakery",
        "email": "joe@mail.example",
        "password": "fresh bread daily",
        "languageCode": "en",
    },
    "package": {"packageRef": 3, "billingFrequency": 12},
    "suspended": False,
    "sites": [{"domain": "www.joes-bakery.example", "businessName": "Joe's Bakery", "published": True}],
    "metadata": {"customer": "C-1001"},
}
BODY = msgspec.json.encode(DESCRIPTION)


def measure(service: Service) -> list[Figure]:
    url = f"{service.url}/brands/{BRAND}/accounts/service-4711"
    user_ref = _put(service, url)["account"]["userRef"]
    if _put(service, url)["changes"]:
        raise MeasurementFailed("the second call changed something")
    user_url = f"{service.url}/users/{user_ref}"
    converging = Caller("converging call", url, partial(_request, service, url))
    reading = Contestant("GET of the user", user_url, partial(_signature, service, "GET", user_url))
    called, read = interleave("converging call", converging, reading)
    return [called.against(read, WITHOUT_CHANGES)]


def _signature(service: Service, method: str, url: str) -> dict[str, str]:
    return {"Authorization": authorization(service.credentials(BRAND), method, url)}


def _request(service: Service, url: str) -> bytes:
    headers = _signature(service, "PUT", url) | {"Content-Type": "application/json"}
    return raw_request("PUT", url, headers, BODY)


def _put(service: Service, url: str) -> dict[str, Any]:
    headers = _signature(service, "PUT", url) | {"Content-Type": "application/json"}
    response = httpx.put(url, content=BODY, headers=headers, trust_env=False, timeout=30)
    if response.status_code not in (200, 201):
        raise MeasurementFailed(f"the converging call returned {response.status_code}: {response.text[:200]}")
    result: dict[str, Any] = response.json()
    return result


MEASUREMENT = Measurement(goals=[WITHOUT_CHANGES], measure=measure)
