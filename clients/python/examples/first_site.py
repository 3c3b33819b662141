"""Creates an account holder with a package and a published site. Usage: first_site.py BRAND_REF PACKAGE_REF"""

import sys

from access import URL, oauth

from sitewright_client import ApiError, Client
from sitewright_client import operations as api
from sitewright_client.models import NewUser


def first_site(client: Client, brand_ref: int, package_ref: int) -> str:
    ada: NewUser = {
        "brandRef": brand_ref,
        "firstName": "Ada",
        "lastName": "Miller",
        "username": "ada",
        "password": "correct horse",
        "email": "ada@miller.example",
        "languageCode": "en",
    }
    user_ref = client.call(api.create_user(ada), idempotency_key="order-4711-user")["accountHolder"]["ref"]
    client.call(api.assign_package(user_ref, {"packageRef": package_ref, "billingFrequency": 12}))
    template = client.call(api.list_templates(limit=1))["templates"][0]
    site = client.call(
        api.create_site(
            {
                "brandRef": brand_ref,
                "accountHolderRef": user_ref,
                "domain": "miller-bakery.example",
                "templateRef": template["ref"],
            }
        )
    )["site"]
    client.call(api.create_page(site["ref"], {"pageUrl": "home", "type": "page", "title": "Bread", "status": "active"}))
    client.call(api.publish_site(site["ref"]))
    return client.call(api.get_site(site["ref"]))["site"]["primaryUrl"]


def main() -> None:
    brand_ref, package_ref = map(int, sys.argv[1:])
    with Client(URL, oauth()) as client:
        try:
            print("published:", first_site(client, brand_ref, package_ref))
        except ApiError as error:
            sys.exit(f"{error.code}: {error.detail} (request {error.request_id})")


if __name__ == "__main__":
    main()
