"""Which templates an account holder may choose: those that the package offers, and their own."""

from sitewright.accounts.account_packages import service as account_packages
from sitewright.catalogue.templates import service as templates
from sitewright.catalogue.templates.schemas import ChoosableTemplate
from sitewright.kit.db import Transaction


async def list_choosable_templates(
    tx: Transaction, user_ref: int, current_ref: int | None = None
) -> list[ChoosableTemplate]:
    """List the templates to choose from, and the site's current one, which it may always keep."""
    offer = await account_packages.template_offer_of(tx, user_ref)
    return await templates.list_choosable(tx, user_ref, offer, current_ref)


async def may_choose_template(
    tx: Transaction, user_ref: int, template_ref: int, current_ref: int | None = None
) -> bool:
    choosable = await list_choosable_templates(tx, user_ref, current_ref)
    return any(each.ref == template_ref for each in choosable)
