"""Words for what the services name by codes."""

import msgspec

from sitewright.accounts.users.customers.service import CustomerDetails
from sitewright.accounts.users.service import Metadata
from sitewright.kit.http.messages import Messages
from sitewright.web.console.customers.sections import Sections

ACTION_PREFIX = "customer_action_"


def action_key(action: str) -> str:
    return f"{ACTION_PREFIX}{action.replace(' ', '_').replace('-', '_')}"


def describe_action(action: str, messages: Messages) -> str:
    """An action of the audit log; one without a text of its own is shown as it is."""
    key = action_key(action)
    return messages(key) if key in messages else action


def describe_actor(actor: str, sections: Sections, messages: Messages) -> str:
    if actor == f"user:{sections.customer.ref}":
        return messages("customer_actor_self")
    kind, _, ref = actor.partition(":")
    if kind == "credential":
        return messages("customer_actor_program", name=sections.names.get(actor) or ref)
    return messages("customer_actor_system") if kind == "system" else sections.names.get(actor, actor)


def metadata_of(customer: CustomerDetails) -> list[Metadata]:
    return msgspec.json.decode(customer.metadata, type=list[Metadata], strict=False)
