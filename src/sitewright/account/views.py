"""The pages as HTML."""

from pathlib import Path
from typing import Any

from sitewright.account.errors import Refused
from sitewright.account.store import PackageRow
from sitewright.account.visits import Visit
from sitewright.account.words import end_of, price_of
from sitewright.kit.http.answers import Answered
from sitewright.kit.http.page import Templates

_templates = Templates(Path(__file__).parent / "templates")
ACCOUNT = "/account"
_ORIGIN_TOLD = {"referrer-policy": "same-origin"}
"""With `no-referrer` browsers would hide from us that our own form came from us."""


def account_page(visit: Visit, package: PackageRow | None) -> Answered:
    holder, words = visit.holder, visit.words
    told = package and {
        "name": package.name,
        "price": price_of(package, words),
        "end": end_of(package, words, visit.brand.time_zone),
    }
    return _page(visit, "account.html", name=f"{holder.first_name} {holder.last_name}", package=told, sites=[])


def refused_page(visit: Visit, refused: Refused) -> Answered:
    words = visit.words
    return _templates.page(
        "message.html",
        refused.status,
        headers={},
        brand=visit.brand,
        words=words,
        title=words(f"{refused.text}_title"),
        said=words(refused.text),
        link=ACCOUNT,
        link_text=words("to_account"),
    )


def _page(visit: Visit, template: str, status: int = 200, *, forms_lead_to: str = "'self'", **values: Any) -> Answered:
    return _templates.page(
        template,
        status,
        forms_lead_to=forms_lead_to,
        headers=_ORIGIN_TOLD,
        brand=visit.brand,
        words=visit.words,
        token=visit.form_token,
        **values,
    )
