"""All pages of `/console/webhooks`."""

from sitewright.kit.auth.rights import Right
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.navigation import WEBHOOKS
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.lists.pages import list_pages
from sitewright.web.console.webhooks import pages
from sitewright.web.console.webhooks.lists import ATTEMPT_LIST, ATTEMPTS, SUBSCRIPTIONS
from sitewright.web.console.webhooks.schemas import SubscriptionForm

ONE = f"{WEBHOOKS}/{{subscription_id:int}}"
ATTEMPT = f"{ATTEMPTS}/{{attempt_id:int}}"
NO_SUBSCRIPTION = {404: "A page: the brand has no such subscription."}
NO_ATTEMPT = {404: "A page: the brand has no such attempt."}
INACTIVE = {409: "The page again: the subscription is not active."}
NOT_ALLOWED = {403: "A page: the role does not allow it."}
PAGES = [
    *list_pages(SUBSCRIPTIONS),
    *list_pages(ATTEMPT_LIST),
    console_page(
        page_route(f"{WEBHOOKS}/new", "showNewWebhook", "A form for a new subscription.", more=NOT_ALLOWED),
        pages.show_new,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{WEBHOOKS}/new", "createWebhook", "Subscribe to events.", SubscriptionForm),
        pages.create,
        pages.show_new_again,
    ),
    console_page(
        page_route(ONE, "showWebhook", "A webhook subscription.", DoneQuery, NO_SUBSCRIPTION), pages.show_subscription
    ),
    console_page(
        form_route(f"{ONE}/edit", "editWebhook", "Change a subscription.", SubscriptionForm, NO_SUBSCRIPTION),
        pages.edit,
        pages.show_subscription_again,
    ),
    console_page(
        form_route(
            f"{ONE}/resume",
            "resumeWebhook",
            "Deliver to an inactive subscription again.",
            more=NO_SUBSCRIPTION,
        ),
        pages.resume,
        right=Right.SUPPORT,
    ),
    console_page(
        form_route(
            f"{ONE}/replay", "replayWebhook", "Deliver all failed events again.", more=NO_SUBSCRIPTION | INACTIVE
        ),
        pages.replay_dead,
        pages.show_subscription_again,
        right=Right.SUPPORT,
    ),
    console_page(
        page_route(
            f"{ONE}/delete",
            "confirmWebhookDeletion",
            "Ask whether to delete a subscription.",
            more=NO_SUBSCRIPTION | NOT_ALLOWED,
        ),
        pages.confirm_deletion,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{ONE}/delete", "deleteWebhook", "Delete a subscription.", more=NO_SUBSCRIPTION), pages.delete
    ),
    console_page(
        page_route(f"{WEBHOOKS}/secret", "showWebhookSecret", "What replacing the secret means.", more=NOT_ALLOWED),
        pages.show_secret,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(
            f"{WEBHOOKS}/secret",
            "rotateWebhookSecret",
            "Replace the secret that signs deliveries.",
            more={200: "The new secret, shown once."},
        ),
        pages.rotate_secret,
    ),
    console_page(
        page_route(ATTEMPT, "showWebhookAttempt", "An attempt with request and response.", DoneQuery, NO_ATTEMPT),
        pages.show_attempt,
    ),
    console_page(
        form_route(
            f"{ATTEMPT}/replay",
            "replayWebhookAttempt",
            "Deliver the event of an attempt again.",
            more=NO_ATTEMPT | INACTIVE,
        ),
        pages.replay,
        pages.show_attempt_again,
        right=Right.SUPPORT,
    ),
]
