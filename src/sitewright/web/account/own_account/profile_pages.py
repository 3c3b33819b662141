"""`/account/profile`: the account holder's details, e-mail address, password, sessions, data and deletion."""

from functools import partial

from sitewright.accounts.reports.data_exports import service as data_exports
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.http.session_cookie import no_session_cookie, session_cookie
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse, parse_query
from sitewright.web.account.authenticated_pages import Work
from sitewright.web.account.errors import OwnSiteNotFound
from sitewright.web.account.own_account import profile_service as service
from sitewright.web.account.own_account import profile_views as views
from sitewright.web.account.own_account.profile_service import VerifiedPassword
from sitewright.web.account.own_account.schemas import EmailForm, PasswordForm, ProfileForm
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.service import list_own_sites
from sitewright.web.account.site_labels import SiteLabel
from sitewright.web.login.service import VERIFY_EMAIL, log_in_path, verification_link

PROFILE = "/account/profile"
DONE = ("details", "email", "verification", "password", "data", "deletion")


async def show_profile(request: PageRequest) -> Response:
    done = parse_query(request.http_request.query).get("done")
    return views.profile_page(request, await service.read_profile(request), done=done if done in DONE else None)


async def show_again(request: PageRequest, problem: Problem) -> Response:
    """Show the page with the problem at its fields and what was typed, passwords excepted."""
    typed = form_of(request.http_request) if request.http_request.context.method == "POST" else {}
    return views.profile_page(request, await service.read_profile(request), problem=problem, typed=typed)


async def save_details(request: PageRequest) -> Response:
    await service.save_details(request, parse(ProfileForm, form_of(request.http_request)))
    return _done("details")


async def change_email(request: PageRequest) -> Response:
    """The link leads to the service's own page: only that one can complete the change."""
    url = request.resources.settings.service_url + VERIFY_EMAIL
    await service.change_email(request, parse(EmailForm, form_of(request.http_request)), url)
    return _done("email")


async def send_verification(request: PageRequest) -> Response:
    await service.send_verification(request, verification_link(request.resources.settings, request.brand))
    return _done("verification")


async def prepare_password(request: PageRequest) -> Response | Work:
    form = parse(PasswordForm, form_of(request.http_request))
    username, current_hash = await service.current_password_hash(request)
    return partial(service.verify_and_hash, request, username, current_hash, form)


async def change_password(request: PageRequest, prepared: VerifiedPassword) -> Response:
    session = await service.set_password(request, prepared)
    cookie = session_cookie(request.http_request, session, service.session_options(request).lifetime)
    return redirect(f"{PROFILE}?done=password", cookie)


async def log_out_everywhere(request: PageRequest) -> Response:
    await service.log_out_everywhere(request)
    return redirect(log_in_path(request.brand.brand_ref), no_session_cookie(request.http_request))


async def request_data(request: PageRequest) -> Response:
    await service.request_data_copy(request)
    return _done("data")


async def download_data(request: PageRequest) -> Response:
    file = await data_exports.find_file(request.tx, request.holder.user_ref)
    if file is None or request.operator_ref is not None:
        return redirect(f"{PROFILE}#data")
    return data_exports.stream(request.http_request, request.resources, file)


async def show_deletion(request: PageRequest) -> Response:
    """Ask once, and say what is lost."""
    service.require_account_holder(request)
    profile = await service.read_profile(request)
    if not profile.offers_deletion:
        raise OwnSiteNotFound
    if profile.deletion_requested_at is not None:
        return redirect(f"{PROFILE}#deletion")
    sites = [SiteLabel.of(site, request.messages).name for site in await list_own_sites(request)]
    return views.deletion_page(request, sites)


async def request_deletion(request: PageRequest) -> Response:
    await service.request_deletion(request)
    return _done("deletion")


def _done(what: str) -> Response:
    return redirect(f"{PROFILE}?done={what}")
