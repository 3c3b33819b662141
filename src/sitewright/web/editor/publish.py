"""Publishing from the editor: what prevents it, in words, and the publish itself."""

from functools import partial

from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.service import Prepared, Reason
from sitewright.sites.sites.service import Site
from sitewright.web.account import service as account
from sitewright.web.account.holder_pages.service import PageRequest, Work, describe_reasons, find_own_site
from sitewright.web.editor.schemas import PublishReason, PublishState
from sitewright.web.login import service as login


async def prepare_state(request: PageRequest, site_ref: int | None) -> Work:
    return partial(account.check, request, await find_own_site(request, site_ref))


async def state(request: PageRequest, site_ref: int | None, prepared: list[Reason] | None) -> PublishState:
    site = await find_own_site(request, site_ref)
    found = await publishing.reasons(request.tx, request.resources, site, prepared)
    return PublishState(
        reasons=[_describe(each, request) for each in found],
        activation_url=_activation_url(request, site),
        published=site.last_publish_at is not None,
    )


async def prepare_publish(request: PageRequest, site_ref: int | None) -> Work:
    return partial(account.prepare, request, await find_own_site(request, site_ref))


async def publish(request: PageRequest, site_ref: int | None, prepared: Prepared | None) -> PublishState:
    site = await find_own_site(request, site_ref)
    activation_url = _activation_url(request, site)
    if activation_url is None:
        await account.publish(request, site, prepared)
    return PublishState(reasons=[], activation_url=activation_url, published=activation_url is None)


def _activation_url(request: PageRequest, site: Site) -> str | None:
    if request.brand.activation_url is None or not account.must_be_activated(site):
        return None
    return login.expand_site_ref(request.brand.activation_url, site.ref)


def _describe(reason: Reason, request: PageRequest) -> PublishReason:
    [text] = describe_reasons([reason], request.messages)
    return PublishReason(reason.code, text, reason.is_warning)
