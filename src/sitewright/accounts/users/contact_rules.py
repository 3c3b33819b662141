"""What account holders may type into their own details: stricter than the API, which takes any text (decision 0085)."""

from collections.abc import Mapping

from sitewright.kit.contact_fields import is_phone_number, is_postal_code
from sitewright.kit.problems import FieldErrors

RULES = {
    "phoneNumber": (is_phone_number, "must be a telephone number, like +44 20 7946 0000"),
    "postcode": (is_postal_code, "must be a postal code of letters and digits"),
}


def check_contact(fields: Mapping[str, str | None]) -> FieldErrors:
    """The errors of the fields that are not empty, by their names in the API."""
    return {
        name: {f"invalid{name[0].upper()}{name[1:]}": message}
        for name, (is_valid, message) in RULES.items()
        if fields.get(name) and not is_valid(fields[name] or "")
    }
