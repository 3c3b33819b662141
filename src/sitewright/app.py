"""Composition of the JSON interface: which features' endpoints it serves."""

from collections.abc import Sequence

from litestar import Litestar
from litestar.exceptions import HTTPException

from sitewright.brands import routes as brand_routes
from sitewright.kit.http.answers import bug_answer, problem_answer, routing_answer
from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.front import Front
from sitewright.kit.http.health import health_handlers
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources

ENDPOINTS: list[Endpoint] = [*brand_routes.endpoints]


def create_app(resources: Resources, endpoints: Sequence[Endpoint] = ENDPOINTS) -> HttpApp:
    handlers = [each.route_handler(resources) for each in endpoints]
    return Front(
        Litestar(
            [*handlers, *health_handlers(resources)],
            exception_handlers={
                Problem: problem_answer,
                HTTPException: routing_answer,
                Exception: bug_answer,
            },
            openapi_config=None,
            logging_config=None,
        )
    )
