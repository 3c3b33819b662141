"""Shows what would change, then brings an account to that state. Usage: provision.py BRAND EXTERNAL_ID PACKAGE"""

import sys

from access import URL, basic

from sitewright_client import Client
from sitewright_client import operations as api
from sitewright_client.models import AccountDescription


def description(external_id: str, package_ref: int) -> AccountDescription:
    return {
        "accountHolder": {
            "firstName": "Joe",
            "lastName": "Baker",
            "username": f"joe-{external_id}",
            "password": "fresh bread daily",
            "email": "joe@mail.example",
            "languageCode": "en",
        },
        "package": {"packageRef": package_ref, "billingFrequency": 12},
        "sites": [{"domain": "joes-bakery.example", "businessName": "Joe's Bakery"}],
    }


def main() -> None:
    brand_ref, external_id, package_ref = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    wanted = description(external_id, package_ref)
    with Client(URL, basic()) as client:
        plan = client.call(api.put_account(brand_ref, external_id, wanted, dry_run=True))
        print("planned:", ", ".join(change["path"] for change in plan["changes"]) or "nothing")
        response = client.raw(api.put_account(brand_ref, external_id, wanted)).raise_for_status()
        print("changed:", len(response.data["changes"]), "etag:", response.headers["ETag"])


if __name__ == "__main__":
    main()
