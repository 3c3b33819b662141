"""The names of the kinds of mail, the same on every page. Their texts are those of the feature `mail`."""

from sitewright.kit.http.messages import Messages


def kind_label(kind: str, messages: Messages) -> str:
    key = f"mail_kind_{kind}"
    return messages(key) if key in messages else kind
