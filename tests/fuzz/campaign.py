"""Schemathesis over the whole OpenAPI document: its examples, its boundaries, valid and invalid values, and chains."""

from collections.abc import Iterator
from typing import Any

import schemathesis
from schemathesis.engine import Status, events, from_schema
from schemathesis.hooks import GLOBAL_HOOK_DISPATCHER

from tests.fuzz.steering import Steering
from tests.fuzz.tally import Tally

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
)
PHASES = ("examples", "coverage", "fuzzing", "stateful")
BOUNDARIES = 100
"""About this many requests cover all boundaries of one operation."""
STEPS = 6
"""The length of a chain of requests."""
MAX_FAILURES = 30
"""A campaign ends with this many different ones."""


class Campaign:
    """Send about this many requests to the service at `url`; returns what is wrong with the responses."""

    def __init__(self, url: str, document: dict[str, Any], steering: Steering, tally: Tally, seed: int) -> None:
        self._url, self._document, self._steering, self._tally = url, document, steering, tally
        self._operations = [each["operationId"] for path in document["paths"].values() for each in path.values()]
        self._seed = seed
        self._examples: dict[str, str] = {}

    @property
    def failures(self) -> list[str]:
        """What is wrong, each with the first request that shows it."""
        return [f"{failure}\n{example}" for failure, example in self._examples.items()]

    def run(self, requests: int) -> None:
        hooks = (self._steering.before_call, self._steering.after_call)
        for hook in hooks:
            GLOBAL_HOOK_DISPATCHER.register_hook_with_name(hook, hook.__name__)
        try:
            self._run_phase("examples", requests)
            self._run_phase("coverage", requests * 2 // 5, self._sample_of_operations(requests * 2 // 5))
            self._run_phase("fuzzing", (requests - self._tally.sent) * 2 // 3)
            while self._tally.sent < requests and len(self._examples) < MAX_FAILURES:
                self._run_phase("stateful", requests - self._tally.sent)
        finally:
            for hook in hooks:
                GLOBAL_HOOK_DISPATCHER.unregister(hook)

    def _sample_of_operations(self, requests: int) -> list[str]:
        """Evenly spaced operations of the document, as many as `requests` suffice to test the boundaries of."""
        every = max(1, BOUNDARIES * len(self._operations) // requests)
        return self._operations[::every]

    def _run_phase(self, phase: str, requests: int, operations: list[str] | None = None) -> None:
        until = self._tally.sent + requests
        self._seed += 1
        schema = self._schema(phase, requests)
        if operations is not None:
            schema = schema.include(operation_id=operations)
        stream = from_schema(schema).execute()
        for event in stream:
            for failure, example in _failures_in(event):
                self._examples.setdefault(failure, example)
            if self._tally.sent >= until or len(self._examples) >= MAX_FAILURES:
                stream.stop()

    def _schema(self, phase: str, requests: int) -> schemathesis.BaseSchema:
        config = {
            "seed": self._seed,
            "cache": {"enabled": False},
            "warnings": False,
            "analysis": {"constants": {"enabled": False}},
            "base-url": self._url,
            "continue-on-failure": True,
            "request-timeout": 60,
            "max-redirects": 0,
            "generation": {
                "database": "none",
                "with-security-parameters": False,
                "max-examples": 1 + requests // (STEPS if phase == "stateful" else len(self._operations)),
            },
            "checks": {"enabled": False} | {name: {"enabled": True} for name in CHECKS},
            "phases": {name: {"enabled": name == phase} for name in PHASES},
        }
        return schemathesis.openapi.from_dict(self._document, config=schemathesis.Config.from_dict(config))


def _failures_in(event: events.EngineEvent) -> Iterator[tuple[str, str]]:
    """What failed, and a command that shows it."""
    match event:
        case events.NonFatalError():
            yield f"{event.label}: {event.info.title}: {event.info.message}", ""
        case events.FatalError():
            yield f"schemathesis: {event.exception!r}", ""
        case events.ScenarioFinished():
            found = [check for checks in event.recorder.checks.values() for check in checks]
            for check in found:
                if check.status == Status.FAILURE and check.failure_info is not None:
                    failure = check.failure_info.failure
                    yield f"{failure.operation}: {failure.title}\n{failure.message}", check.failure_info.code_sample
