"""Converts names of the code to names of the API."""

import re

from sitewright.kit.http.endpoint import Endpoint

PARAMETER = re.compile(r"\{(\w+):(\w+)\}")


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def wire_path(path: str) -> str:
    """`/users/{user_ref:int}` as `/users/{userRef}`."""
    return PARAMETER.sub(lambda found: f"{{{camel(found[1])}}}", path)


def feature_of(endpoint: Endpoint) -> str:
    """The endpoint's feature: the second part of `<package>.<feature>.routes` within `sitewright`.

    For a top-level package that is one feature, it is the package; in tests, the module.
    """
    package, *parts = endpoint.function.__module__.split(".")
    if package != "sitewright":
        return parts[-1]
    return parts[1] if len(parts) > 2 else parts[0]
