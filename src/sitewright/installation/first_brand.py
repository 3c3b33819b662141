"""The catalogue file of a new installation: the demo's languages, currencies and templates, and one brand."""

import json
from importlib.resources import files
from string import Template

from sitewright.installation.inputs import Inputs

HEADING = """# Brands, packages, prices and templates. After a change: sitewright catalogue apply <this file>
# `sitewright catalogue export` names every setting of a brand with its value.
"""


def catalogue_text(inputs: Inputs) -> str:
    shared = (files("sitewright.demo") / "catalogue.yaml").read_text(encoding="utf-8")
    shared = shared[shared.index("\nlanguages:") : shared.index("\nbrands:")]
    brand = Template((files("sitewright.installation") / "first_brand.yaml").read_text(encoding="utf-8"))
    return (
        HEADING
        + shared
        + "\n"
        + brand.substitute(
            name=json.dumps(inputs.brand_name, ensure_ascii=False),
            domain=inputs.brand_domain,
            language=inputs.language,
            currency=inputs.currency,
        )
    )
