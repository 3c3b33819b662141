"""Resellers' prices created by SQL, as many as possible."""

from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.users import OwnerConnection


async def make_prices(owner: OwnerConnection, package_ref: int, reseller_ref: int = RESELLER_REF) -> None:
    """One for every currency and period of a package: 1,201 in each currency, about 1 MB of JSON in two."""
    await owner.execute(
        "insert into reseller_prices (brand_ref, reseller_ref, package_ref, currency_ref, billing_period_months, price)"
        " select $1, $2, $3, currency.ref, months, 10"
        " from (select ref from currencies order by ref limit 2) currency, generate_series(0, 1200) months",
        OWN_BRAND,
        reseller_ref,
        package_ref,
    )
