"""The specification's event: a site was published."""

from typing import Annotated, Any

from sitewright.events.kinds import EventBody, EventKind
from sitewright.kit.http.about import about


class PublishBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """A published site."""

    site: Annotated[
        dict[str, Any],
        about(
            "The site as in `GET /sites/:siteRef`, without the fields of its database.",
            {"ref": 5, "primaryUrl": "http://www.example.com", "live": True},
        ),
    ]
    account_holder: Annotated[
        dict[str, Any],
        about("Whose it is.", {"ref": 41, "languageCode": "en", "subscriptionPackageRef": 3}),
    ]
    brand: Annotated[dict[str, Any], about("The brand.", {"ref": 1, "name": "Example Hosting"})]
    version_ref: Annotated[int, about("The version that visitors see from now on.", 7)]


SITE_PUBLISH = EventKind(name="site.publish", summary="A site was published.", body=PublishBody)
KINDS = (SITE_PUBLISH,)
