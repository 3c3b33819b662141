"""`/account`, `/account/sites/:siteRef` and `/template-picker/`."""

from sitewright.account import store, views
from sitewright.account.holder_pages import holder_page
from sitewright.account.visits import Visit
from sitewright.kit.http.answers import Answered
from sitewright.kit.http.page import HTML
from sitewright.kit.http.public import PublicRoute


async def show_account(visit: Visit) -> Answered:
    return views.account_page(visit, await store.find_package(visit.tx, visit.holder.user_ref))


AWAY = {503: "A page: the database is away for the moment."}
PUBLIC = (
    PublicRoute(
        path="/account",
        operation_id="showAccount",
        summary="The account holder's own page: sites and package.",
        description="In the brand's name and the account holder's language.",
        answers={200: "The page.", 303: "Nobody is logged in.", **AWAY},
        media_type=HTML,
        tag="account",
    ),
)
PAGES = [holder_page(PUBLIC[0], show_account)]
