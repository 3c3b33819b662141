"""What the operations of changes need: the transaction, who edits, the site and the recorder."""

import msgspec

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors, Invalid
from sitewright.settings import Settings
from sitewright.sites.content.changes.errors import ContentChanged
from sitewright.sites.content.changes.images.recorder import Recorder
from sitewright.sites.content.changes.schemas import Item
from sitewright.sites.content.widget_types.service import DEFAULT_LANGUAGE
from sitewright.sites.sites.service import Site


class Editor(msgspec.Struct, frozen=True):
    """Who makes a change, and the language of ready-made texts that it adds."""

    caller: Caller
    language: str = DEFAULT_LANGUAGE

    @property
    def author(self) -> str:
        return self.caller.name


class Work(msgspec.Struct, frozen=True):
    """One change in progress."""

    tx: Transaction
    settings: Settings
    editor: Editor
    site: Site
    recorder: Recorder

    @property
    def caller(self) -> Caller:
        return self.editor.caller


def check_etag(item: Item | None, etag: str | None) -> None:
    """Optimistic lock: raise ContentChanged where the item is not the one that the caller saw (None: none)."""
    current = getattr(item, "etag", None)
    if current != etag:
        raise changed(item)


def changed(item: Item | None, detail: str | None = None) -> ContentChanged:
    return ContentChanged(detail, current=None if item is None else msgspec.to_builtins(item))


def check_fields(errors: FieldErrors, inside: str = "") -> None:
    """Raise Invalid for fields of the change, by their path in the request."""
    if errors:
        raise Invalid.fields({f"change.{inside}{field}": failures for field, failures in errors.items()})
