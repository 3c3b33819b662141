"""HTTP: the server and its limits, routing, the request lifecycle of endpoints, and responses."""

from sitewright.kit.http.brand import BrandMismatch
from sitewright.kit.http.call import Call
from sitewright.kit.http.endpoint import Endpoint, Prepare, Upload, endpoint

__all__ = ["BrandMismatch", "Call", "Endpoint", "Prepare", "Upload", "endpoint"]
