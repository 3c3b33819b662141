"""Composition of the JSON interface: which features' endpoints it serves."""

from collections.abc import Sequence

from litestar import Litestar
from litestar.exceptions import HTTPException

from sitewright.brands import routes as brand_routes
from sitewright.kit.http import health, metrics, reference
from sitewright.kit.http.answers import bug_answer, problem_answer, routing_answer
from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.front import Front
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.routing import Router
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources

ENDPOINTS: list[Endpoint] = [*brand_routes.endpoints]
PUBLIC: list[PublicRoute] = [*health.PUBLIC, *metrics.PUBLIC, *reference.PUBLIC]


def create_app(resources: Resources, endpoints: Sequence[Endpoint] = ENDPOINTS) -> HttpApp:
    pages = Litestar(
        [*health.health_handlers(resources), *reference.reference_handlers(endpoints, PUBLIC)],
        exception_handlers={
            Problem: problem_answer,
            HTTPException: routing_answer,
            Exception: bug_answer,
        },
        openapi_config=None,
        logging_config=None,
    )
    return Front(Router([*endpoints, metrics.MetricsRoute()]), resources, pages)
