"""Part 2.9 of the specification: every field with its types."""

from typing import Any

NONE = type(None)
TEXT_OR_NULL = (str, NONE)
PACKAGE: dict[str, tuple[type, ...]] = (
    dict.fromkeys(("ref", "active", "global", "offerRebillMonths", "trialDays", "brandRef"), (int,))
    | dict.fromkeys(("defaultCurrencyRef", "displayOrder"), (int,))
    | dict.fromkeys(("name", "notifyMarketing", "productType", "type", "contentType", "offerRebillActive"), (str,))
    | dict.fromkeys(("imageURL", "brandName", "currencyCode", "currencyName", "currencyTitle"), (str,))
    | dict.fromkeys(("requirePurchasedDomain", "allowMultiplePurchase", "showInStore"), (bool,))
    | {"showInTemplatePicker": (bool,)}
    | dict.fromkeys(("bannerHTML", "affiliateLink", "flowName"), TEXT_OR_NULL)
    | dict.fromkeys(("defaultCampaignRef", "templateGroupRef"), (int, NONE))
    | {"capabilities": (dict,), "templateGroup": (dict, NONE), "domainProduct": (dict, NONE)}
    | dict.fromkeys(("prices", "plugins", "categories", "packageCollections"), (list,))
)
"""Without `urlId`, which the single package spells `urlID`."""
PRICE = dict.fromkeys(("ref", "billingPeriodMonths", "packageRef"), (int,)) | {
    **dict.fromkeys(("price", "packageName", "type", "formattedPrice"), (str,)),
    "offerPrice": TEXT_OR_NULL,
    "currency": (dict,),
}
CURRENCY = dict.fromkeys(("name", "alphaCode", "numCode", "htmlCode"), (str,)) | {
    "ref": (int,),
    "currencyRate": (float,),
    "paymentProvider": (int,),
}
SUPPLIER = {"name": (str,), "description": (str,), "className": (str,), "ref": (int,)}
DOMAIN_PRODUCT = dict.fromkeys(("domainSuffix", "name", "description"), (str,)) | {
    **dict.fromkeys(("frequencyMonths", "active", "availableAsFreeDomain", "renewalActive", "ref"), (int,)),
    "requireCustomContactDetails": (bool,),
    "productSupplier": (dict,),
}


def assert_shape(value: dict[str, Any], shape: dict[str, Any]) -> bool:
    assert set(value) == set(shape)
    wrong = {name: value[name] for name, kinds in shape.items() if type(value[name]) not in kinds}
    assert wrong == {}
    return True
