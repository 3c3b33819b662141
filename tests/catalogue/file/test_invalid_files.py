"""An invalid catalogue file is rejected with all its errors and their lines, and nothing is changed."""

import pytest

from sitewright.catalogue.file import service, store
from sitewright.catalogue.file.errors import InvalidCatalogue
from sitewright.features import MAIL
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND, RESELLER_REF, TESTER
from tests.support.packages import DOMAIN, PRO, STARTER
from tests.support.prices import make_prices
from tests.support.users import OwnerConnection, make_reseller, make_user

BASE = """\
languages:
  - {code: en, name: English}
currencies:
  - {alphaCode: USD, name: US Dollar, numCode: "840", htmlCode: "&#36;", currencyRate: 1}
brands:
  - ref: 1
    name: Northwind Hosting
    languages: [en]
    defaultPackage: free
    packages:
      - key: free
        name: Free
        defaultCurrency: USD
  - ref: 2
    name: Southgate Telecom
"""


async def errors(owner_connection: OwnerConnection, text: str) -> list[str]:
    before = await service.export(owner_connection)
    with pytest.raises(InvalidCatalogue) as refused:
        async with owner_connection.transaction():
            await service.apply_changes(
                owner_connection, await service.plan(owner_connection, text, MAIL.kinds), TESTER
            )
    assert await service.export(owner_connection) == before
    return [str(error) for error in refused.value.errors]


@pytest.mark.parametrize(
    ("line", "written", "instead", "message"),
    [
        (13, "defaultCurrency: USD", "defaultCurrency: EUX", "defaultCurrency: there is no currency EUX"),
        (12, "name: Free", "name: [Free]", "name: must be text"),
        (12, "name: Free", "nmae: x\n        name: Free", "nmae: there is no such field; there are key, name"),
        (13, "name: Free", "name: Free\n        name: Two", "name: appears twice"),
        (13, "name: Free", "name: Free\n        active: 2", "active: must be at most 1"),
        (13, "name: Free", "name: Free\n        trialDays: 1.5", "trialDays: must be an integer"),
        (13, "name: Free", "name: Free\n        notifyMarketing: maybe", "notifyMarketing: must be one of N, Y"),
        (13, "name: Free", "name: Free\n        templateGroup: No", "templateGroup: there is no template group No"),
        (14, "name: Free", "name: Free\n        capabilities:\n          liveSite: 1", "there is no such capability"),
        (13, "name: Free", "name: Free\n        capabilities: {liveSites: many}", "liveSites: must be a number"),
        (13, "name: Free", "name: Free\n        capabilities: 7", "capabilities: must be numbers by name"),
        (9, "name: Free", "name: Free\n        active: 0", "defaultPackage: this package is not active"),
        (13, "name: Free", "name: Free\n        productType: domain", "productType: a package of productType domain"),
        (11, "key: free", "key: Free Stuff", "key: must be lower-case letters, digits and hyphens"),
        (9, "defaultPackage: free", "defaultPackage: gold", "there is no package of this brand with the key gold"),
        (8, "languages: [en]", "languages: [en, xx]", "languages[1]: there is no language xx"),
        (8, "languages: [en]", "languages: [en, en]", "languages[1]: en appears twice"),
        (8, "languages: [en]", "timeZone: Mars/Olympus", "timeZone: must be a time zone"),
        (8, "languages: [en]", "helpURL: javascript:alert(1)", "helpURL: must be an absolute http or https URL"),
        (8, "languages: [en]", "allowedLinkHosts: ['a b']", "allowedLinkHosts[0]: must be a host name"),
        (8, "languages: [en]", "reservedNames: [jobs.shop]", "reservedNames[0]: must be one label of a host name"),
        (8, "languages: [en]", "allowedReservedNames: [WWW]", "allowedReservedNames[0]: must be one label"),
        (
            9,
            "languages: [en]",
            "reservedNames: [jobs]\n    allowedReservedNames: [jobs]",
            "allowedReservedNames[0]: jobs is also in reservedNames",
        ),
        (14, "ref: 2", "ref: 1", "brands[1].ref: 1 is already on line 6"),
        (14, "ref: 2", "ref: -2", "brands[1].ref: must be at least 1"),
        (15, "name: Southgate Telecom", "name: Northwind Hosting", "Northwind Hosting is already on line 7"),
        (4, 'numCode: "840"', "numCode: 840", "numCode: must be text"),
        (4, "currencyRate: 1", "currencyRate: 0", "currencyRate: must be a number above 0"),
        (4, "currencyRate: 1", "currencyRate: 1, locale: xx_YY", "locale: must be a locale"),
        (2, "name: English}", "name: English}\n  - {code: en, name: Again}", "code: en is already on line 2"),
        (1, "languages:\n  - {code: en, name: English}", "languages: 5", "languages: must be a list"),
        (2, "{code: en, name: English}", "en", "languages[0]: must be an object"),
    ],
)
async def test_one_error(
    owner_connection: OwnerConnection, clean: None, line: int, written: str, instead: str, message: str
) -> None:
    assert written in BASE
    found = await errors(owner_connection, BASE.replace(written, instead, 1))
    shift = 1 if "Again" in instead else 0
    assert any(error.startswith(f"line {line + shift}:") and message in error for error in found), found


@pytest.mark.parametrize(
    ("price", "message"),
    [
        ("{currency: EUX, billingPeriodMonths: 1, price: 1}", "prices[0].currency: there is no currency EUX"),
        ("{currency: USD, billingPeriodMonths: -1, price: 1}", "billingPeriodMonths: must be at least 0"),
        ("{currency: USD, billingPeriodMonths: 1, price: 1.999}", "prices[0].price: must be an amount"),
        ("{currency: USD, billingPeriodMonths: 1, price: -1}", "prices[0].price: must be an amount"),
        ("{currency: USD, billingPeriodMonths: 1, price: 1, offerPrice: free}", "offerPrice: must be an amount"),
        ("{currency: USD, billingPeriodMonths: 1}", "prices[0].price: is required"),
    ],
)
async def test_prices(owner_connection: OwnerConnection, clean: None, price: str, message: str) -> None:
    found = await errors(owner_connection, BASE.replace("name: Free", f"name: Free\n        prices: [{price}]"))
    assert len(found) == 1
    assert message in found[0]


async def test_duplicate_prices(owner_connection: OwnerConnection, clean: None) -> None:
    price = "{currency: USD, billingPeriodMonths: 1, price: 1}"
    [found] = await errors(
        owner_connection, BASE.replace("name: Free", f"name: Free\n        prices: [{price}, {price}]")
    )
    assert found == "line 13: brands[0].packages[0].prices[1]: there already is a price in USD for 1 months"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("brands: [", "not YAML"),
        ("brands: &a [*a]", "aliases are not supported"),
        ("brands: !!python/object:os.system [x]", "is not supported"),
        ("just text", "the file must be a mapping"),
        ("- a list", "the file must be a mapping"),
        ("a: \0", "not YAML"),
        ("[" * 5000, "not YAML"),
        ("", "the brand Northwind Hosting is missing; brands cannot be removed"),
    ],
)
async def test_files_that_are_not_a_catalogue(
    owner_connection: OwnerConnection, clean: None, text: str, message: str
) -> None:
    assert any(message in error for error in await errors(owner_connection, text))


async def test_all_errors_are_reported_at_once_in_order(owner_connection: OwnerConnection, clean: None) -> None:
    text = (
        BASE.replace("languages: [en]", "languages: [xx]").replace("USD\n", "EUX\n").replace("name: English", "nam: E")
    )
    assert [error.partition(":")[0] for error in await errors(owner_connection, text)] == [
        "line 2", "line 2", "line 8", "line 13",
    ]  # fmt: skip


async def test_a_package_in_use_cannot_be_removed(owner_connection: OwnerConnection, clean: None) -> None:
    """The demo's free package is the one new users get; the file leaves it out."""
    text = BASE.replace("key: free", "key: gold").replace("defaultPackage: free", "defaultPackage: gold")
    found = await errors(owner_connection, text)
    assert found == [
        "line 6: brands[0]: the package free is still in use and cannot be removed; keep it with active: 0",
        "line 14: brands[1]: the package suspended is still in use and cannot be removed; keep it with active: 0",
    ]


async def test_packages_are_in_use_that_somebody_has_or_a_reseller_has_priced(
    owner_connection: OwnerConnection, resources: Resources, clean: None
) -> None:
    await make_user(owner_connection, resources, package_ref=STARTER)
    await make_reseller(owner_connection, OWN_BRAND, RESELLER_REF)
    await make_prices(owner_connection, DOMAIN)
    assert await store.packages_in_use(owner_connection, [STARTER, PRO, DOMAIN]) == {STARTER, DOMAIN}


async def test_an_owner_that_is_no_superuser_sees_prices_of_resellers(
    owner_connection: OwnerConnection, clean: None
) -> None:
    """Row-level security must not hide a package's prices from the command."""
    await make_reseller(owner_connection, OWN_BRAND, RESELLER_REF)
    await make_prices(owner_connection, DOMAIN)
    ownership = owner_connection.transaction()
    await ownership.start()
    try:
        await owner_connection.execute(
            "create role plain_owner; grant sitewright_backup to plain_owner;"
            " grant create on schema public to plain_owner; alter table reseller_prices owner to plain_owner;"
            " grant select on all tables in schema public to plain_owner; set local role plain_owner"
        )
        assert await store.packages_in_use(owner_connection, [DOMAIN]) == {DOMAIN}
    finally:
        await ownership.rollback()
