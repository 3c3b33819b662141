"""HTTP: the front door, the way of a call, and what answers look like."""

from sitewright.kit.http.brand import BrandMismatch
from sitewright.kit.http.call import Call
from sitewright.kit.http.endpoint import Endpoint, Prepare, endpoint

__all__ = ["BrandMismatch", "Call", "Endpoint", "Prepare", "endpoint"]
