"""Write a `Catalogue` as YAML: settings that differ from their defaults, and all other settings as comments.

The comments are generated from `schemas`, so a new setting needs no change here.
"""

import textwrap
from collections.abc import Container, Iterator
from typing import Any

import msgspec
import yaml

from sitewright.catalogue.file.schemas import (
    Brand,
    Catalogue,
    Currency,
    DomainProduct,
    MailTemplate,
    Package,
    Price,
    ProductSupplier,
    Schema,
    Template,
)
from sitewright.catalogue.file.yaml_reader import schema_in
from sitewright.catalogue.packages.service import CAPABILITIES

WIDTH = 120
HEADING = """\
# The catalogue of a Sitewright service. `sitewright catalogue plan FILE` shows what a change would do, `apply` does it.
#
# The file holds every setting that differs from its default. The others are named in comments, with their defaults:
# those of a brand inside the brand (take the "# " away and change the value), all others at the end of the file.
"""
KINDS: dict[str, type[Schema]] = {
    "a currency": Currency,
    "a product supplier": ProductSupplier,
    "a template": Template,
    "a package": Package,
    "a price of a package": Price,
    "the domainProduct of a package": DomainProduct,
    "a mail template of a brand": MailTemplate,
}


def to_yaml(catalogue: Catalogue) -> str:
    """Return the YAML text; applying it again changes nothing."""
    plain = _plain(catalogue)
    parts = [HEADING]
    for section, entries in plain.items():
        is_brands = section == "brands"
        parts.append("brands:\n" + "\n".join(map(_brand, entries)) if is_brands else _dump({section: entries}))
    if missing := setting_lines(Catalogue, plain):
        parts.append(_comment("Sections that this catalogue does not have:", missing))
    return "\n".join([*parts, *_reference_comments()])


def setting_lines(schema: type[Schema], given: Container[str] = ()) -> list[str]:
    """Format each optional setting that is not in `given` as `name: default  # what it does`, aligned."""
    fields = [each for each in msgspec.structs.fields(schema) if not each.required and each.encode_name not in given]
    lines = [f"{each.encode_name}: {_inline(_default(each))}" for each in fields]
    width = max((len(line) for line in lines), default=0)
    return [f"{line:{width}}  # {description(each)}" for line, each in zip(lines, fields, strict=True)]


def description(field: msgspec.structs.FieldInfo) -> str:
    metas = (each for each in getattr(field.type, "__metadata__", ()) if isinstance(each, msgspec.Meta))
    return next((each.description for each in metas if each.description), "")


def _brand(brand: dict[str, Any]) -> str:
    """Write the brand's settings, then its unset ones as comments, then the nested lists."""
    nested = [each.encode_name for each in msgspec.structs.fields(Brand) if schema_in(each.type) is not None]
    settings = {name: value for name, value in brand.items() if name not in nested}
    lines = [_dump([settings])]
    if unset := setting_lines(Brand, brand):
        lines.append(textwrap.indent(_comment("Not set; the default of each:", unset), "  "))
    lines += [textwrap.indent(_dump({name: brand[name]}), "  ") for name in nested if name in brand]
    return "".join(lines)


def _plain(value: Any) -> Any:
    """Convert to mappings without defaults; `omit_defaults` compares text by identity, so it is not enough."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, Schema):
        return value
    fields = [(each, getattr(value, each.name)) for each in msgspec.structs.fields(value)]
    return {each.encode_name: _plain(own) for each, own in fields if each.required or own != _default(each)}


def _reference_comments() -> Iterator[str]:
    for kind, schema in KINDS.items():
        yield _comment(f"Optional settings of {kind}, and their defaults:", setting_lines(schema), indent="  ")
    names = textwrap.wrap(", ".join(CAPABILITIES), WIDTH - 4)
    yield _comment("The capabilities that a package may have, each a number, and 0 when left out:", names, indent="  ")


def _comment(title: str, lines: list[str], indent: str = "") -> str:
    return f"# {title}\n" + "".join(f"# {indent}{line}\n" for line in lines)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default is not msgspec.NODEFAULT else field.default_factory()


def _inline(value: Any) -> str:
    return _dump(value, flow=True).removesuffix("...\n").strip()


def _dump(value: Any, *, flow: bool = False) -> str:
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=flow
    )
    return text


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - never write YAML aliases
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Write multi-line text as a block, so that mail templates can be edited in the file.

    Text that ends in an empty line is quoted: written as a block, it would end the whole document.
    """
    ends_empty = text == "\n" or text.endswith("\n\n")
    style = '"' if ends_empty else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
