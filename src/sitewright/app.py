"""Composition of the JSON interface: which features' endpoints it serves."""

from collections.abc import Sequence

from litestar import Litestar
from litestar.exceptions import HTTPException

from sitewright.brands import routes as brand_routes
from sitewright.demo.service import THUMBNAILS
from sitewright.kit.http import health, metrics, reference
from sitewright.kit.http.answers import bug_answer, problem_answer, routing_answer
from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.front import Front
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.routing import Router
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources
from sitewright.packages import routes as package_routes
from sitewright.templates import routes as template_routes
from sitewright.templates import thumbnails

ENDPOINTS: list[Endpoint] = [*brand_routes.endpoints, *package_routes.endpoints, *template_routes.endpoints]
PUBLIC: list[PublicRoute] = [*health.PUBLIC, *metrics.PUBLIC, *reference.PUBLIC, *thumbnails.PUBLIC]


def create_app(resources: Resources, endpoints: Sequence[Endpoint] = ENDPOINTS) -> HttpApp:
    pages = Litestar(
        [
            *health.health_handlers(resources),
            *reference.reference_handlers(endpoints, PUBLIC),
            *thumbnails.thumbnail_handlers([THUMBNAILS, resources.settings.data_path / "thumbnails"]),
        ],
        exception_handlers={
            Problem: problem_answer,
            HTTPException: routing_answer,
            Exception: bug_answer,
        },
        openapi_config=None,
        logging_config=None,
    )
    return Front(Router([*endpoints, metrics.MetricsRoute()]), resources, pages)
