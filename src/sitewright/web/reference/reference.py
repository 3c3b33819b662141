"""The document and the pages of the reference: generated on first use, and cached."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from sitewright.catalogue.packages.service import EFFECTS, OTHER_SYSTEMS
from sitewright.catalogue.vendor_names import document_with_vendor_names
from sitewright.events.kinds import EventKind
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.openapi import Document, document_of
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import PROBLEM_TYPE, Response, encode
from sitewright.kit.problems import NotFound
from sitewright.settings import Settings
from sitewright.web.reference import pages
from sitewright.web.reference.clients import KNOWN_CLIENTS, READ_AS, SETTINGS
from sitewright.web.reference.demo_access import DemoAccess, ReadDemo, demo_access
from sitewright.web.reference.event_pages import EventViews
from sitewright.web.reference.examples.languages import LANGUAGES, PYTHON
from sitewright.web.reference.operations import FeatureView, OperationViews, form_rows
from sitewright.web.reference.problem_codes import ProblemCode, field_problem, problem_codes
from sitewright.web.reference.search import Entry, SearchIndex
from sitewright.web.reference.signing import signing_steps
from sitewright.web.reference.topics import BY_KEY, TOPICS
from sitewright.web.reference.webhook_example import webhook_example


class Reference:
    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        public: Sequence[PublicRoute],
        event_kinds: Mapping[str, EventKind],
        settings: Settings,
        read_demo: ReadDemo,
    ) -> None:
        self._endpoints, self._public, self._settings, self._read_demo = endpoints, public, settings, read_demo
        self._events = EventViews(event_kinds)
        self._pages: dict[str, Response] = {}

    @cached_property
    def document(self) -> Document:
        return document_with_vendor_names(document_of(self._endpoints, self._public), self._settings)

    @cached_property
    def encoded(self) -> bytes:
        return encode(self.document)

    @cached_property
    def etag(self) -> str:
        """Weak: the same for the compressed document."""
        return f'W/"{hashlib.sha256(self.encoded).hexdigest()[:32]}"'

    @cached_property
    def demo(self) -> DemoAccess | None:
        document = self._read_demo()
        return None if document is None else demo_access(document)

    @cached_property
    def views(self) -> OperationViews:
        return OperationViews(self.document, self.demo.values if self.demo else {})

    @cached_property
    def features(self) -> list[FeatureView]:
        return self.views.features()

    @cached_property
    def problem_codes(self) -> dict[str, ProblemCode]:
        return problem_codes(self.document)

    def home(self) -> Response:
        return self._page("home", lambda: self._render("home.html", info=self.document["info"]))

    def topic(self, key: str) -> Response:
        if key not in BY_KEY:
            raise NotFound("The reference has no such page. Start at /docs.")
        return self._page(f"topic {key}", lambda: self._topic(key))

    def event(self, name: str) -> Response:
        found = self._events.views.get(name)
        if found is None:
            raise NotFound("There is no such event. All of them are at /docs/events.")
        return self._page(f"event {name}", lambda: self._render("event.html", topic=BY_KEY["events"], event=found))

    def feature(self, name: str) -> Response:
        found = next((each for each in self.features if each.name == name.replace("-", "_")), None)
        if found is None:
            raise NotFound("The reference has no such page. Start at /docs.")
        return self._page(
            f"feature {found.name}", lambda: self._render("feature.html", feature=found, current=found.name)
        )

    def operation(self, feature: str, operation_id: str) -> Response:
        found = self.views.operations.get(operation_id)
        if found is None or found.is_for_browsers or found.feature != feature.replace("-", "_"):
            raise NotFound("The reference has no such operation. Search for it at /docs/search.")
        return self._page(f"operation {operation_id}", lambda: self._operation(operation_id))

    def search(self, query: str) -> Response:
        found = self._index.find(query)
        return self._render("search.html", headers=pages.NOT_CACHED, query=query, found=found)

    def problems(self) -> Response:
        codes = self.problem_codes
        own = [each for each in codes.values() if not each.is_field]
        return self._page("problems", lambda: self._render("problems.html", problems=own, codes=codes))

    def problem(self, code: str) -> Response:
        known = self.problem_codes.get(code) or field_problem(code)
        if known is None:
            return self._render("unknown_problem.html", status=404)
        return self._render("problem.html", problem=known)

    def client(self, file: str) -> Response:
        """The client of a language, to download."""
        language = next((each for each in LANGUAGES if each.client_file == file), None)
        if language is None:
            raise NotFound("There is no such client. See /docs/getting-started.")
        headers = pages.CACHED | {"content-disposition": f'attachment; filename="{file}"'}
        return Response(200, language.client.encode(), headers, "text/plain; charset=utf-8")

    def _topic(self, key: str) -> Response:
        return self._render(
            BY_KEY[key].template,
            topic=BY_KEY[key],
            known_clients=KNOWN_CLIENTS,
            read_as=READ_AS,
            effects=EFFECTS,
            other_systems=OTHER_SYSTEMS,
            settings=SETTINGS,
            languages=LANGUAGES,
            first_call=[(each.language, each.code) for each in self.views.view("listLanguages").examples],
            verification=[(each, each.snippet("verify")) for each in LANGUAGES[1:]],
            all_pages=PYTHON.snippet("all_pages"),
            signing=signing_steps(),
            webhook=webhook_example(),
            events=self._events.views.values(),
            problem_example=self._problem_example(),
            service_url=self._settings.service_url,
            site_url=self._settings.site_url,
            info=self.document["info"],
        )

    def _problem_example(self) -> str:
        """The document's example of a request with invalid fields."""
        invalid = self.document["paths"]["/users"]["post"]["responses"]["400"]["content"][PROBLEM_TYPE]["examples"]
        return json.dumps(invalid["invalidRequest"]["value"], indent=2)

    def _operation(self, operation_id: str) -> Response:
        view = self.views.view(operation_id)
        rows = form_rows(view, {} if self.demo is None else self.demo.values)
        return self._render("operation.html", operation=view, current=view.feature, form_rows=rows)

    def _page(self, key: str, make: Callable[[], Response]) -> Response:
        if key not in self._pages:
            self._pages[key] = make()
        return self._pages[key]

    def _render(self, template: str, **values: Any) -> Response:
        shared: dict[str, Any] = {"topics": TOPICS, "features": self.features, "demo": self.demo, "current": None}
        headers = pages.CACHED if self.demo is None else pages.NOT_CACHED
        return pages.render(template, **shared | {"headers": headers, "link": self.views.link} | values)

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex(
            [
                *self._topic_entries(),
                *self._event_entries(),
                *self._operation_entries(),
                *self._problem_entries(),
            ]
        )

    def _topic_entries(self) -> Iterator[Entry]:
        for each in TOPICS:
            text = pages.text_of(self.topic(each.key))
            yield Entry(kind="Guide", title=each.title, summary=each.summary, href=each.href, text=text)

    def _event_entries(self) -> Iterator[Entry]:
        for each in self._events.views.values():
            text = " ".join(f"{row.name} {row.description}" for row in each.rows)
            yield Entry(kind="Event", title=each.name, summary=each.summary, href=each.href, text=text)

    def _operation_entries(self) -> Iterator[Entry]:
        for feature in self.features:
            for each in [*feature.operations, *feature.pages]:
                is_for_browsers = each in feature.pages
                text = f"{each.id} {feature.name}" if is_for_browsers else self.views.view(each.id).searched_text
                title = f"{each.method} {each.path}"
                kind = "Page" if is_for_browsers else "Operation"
                yield Entry(kind=kind, title=title, summary=each.summary, href=each.href, text=text)

    def _problem_entries(self) -> Iterator[Entry]:
        for each in self.problem_codes.values():
            href = f"/problems/{each.code}"
            yield Entry(kind="Problem code", title=each.code, summary=each.title, href=href, text=each.detail)
