"""The guides of the reference: one page for each topic."""

import msgspec


class Topic(msgspec.Struct, frozen=True):
    key: str
    title: str
    summary: str

    @property
    def href(self) -> str:
        return f"/docs/{self.key}"

    @property
    def template(self) -> str:
        return f"topics/{self.key}.html"


TOPICS = (
    Topic("getting-started", "Getting started", "From credentials to a published site, with a client to copy."),
    Topic("signing", "Request signing", "OAuth 1.0a step by step, with an example to compare your code with."),
    Topic("requests", "Requests", "Formats, flags, API releases, and how fields are read."),
    Topic("errors", "Errors", "Problem documents, their codes, and what to retry."),
    Topic("paging", "Paging", "Lists, filters, and how to read all pages."),
    Topic("idempotency", "Idempotency", "How to repeat a request without doing it twice."),
    Topic("events", "Events", "Every kind of event, and the feed that lists them in order."),
    Topic("webhooks", "Webhooks", "Events, and how to verify that a delivery is ours."),
    Topic("packages", "Packages and capabilities", "What each capability of a package does, and whom it binds."),
    Topic("clients", "Existing clients", "Known clients, how they were tested, and settings that they may need."),
)
BY_KEY = {topic.key: topic for topic in TOPICS}
