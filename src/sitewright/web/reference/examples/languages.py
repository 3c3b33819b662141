"""Example requests as code. Python, PHP and Node use the small client in `snippets/`, which signs the request."""

import shlex
from collections.abc import Callable
from pathlib import Path

import msgspec

from sitewright.web.reference.examples import literals
from sitewright.web.reference.examples.literals import JSON, NODE, PHP, Syntax, literal
from sitewright.web.reference.examples.request import ExampleRequest

SNIPPETS = Path(__file__).parents[1] / "snippets"
FILE = "picture.png"


class Language(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    name: str
    render: Callable[[ExampleRequest], str]
    client_file: str
    """The name under which readers save the client."""

    @property
    def client(self) -> str:
        return self.snippet("client")

    @property
    def first_site(self) -> str:
        """A script from nothing to a published site."""
        return self.snippet("first_site")

    def snippet(self, name: str) -> str:
        """Hand-written code; tests run all of it."""
        return (SNIPPETS / f"{name}_{self.key}.txt").read_text(encoding="utf-8")


def _curl(request: ExampleRequest) -> str:
    options = ["curl --include"]
    if request.method != "GET":
        options.append(f"--request {request.method}")
    if not request.is_public:
        options.append('--user "$SITEWRIGHT_USER:$SITEWRIGHT_PASSWORD"')
    if request.file_type is not None:
        options.append(f"--header 'Content-Type: {request.file_type}' --data-binary @{FILE}")
    elif request.body is not None:
        options.append("--header 'Content-Type: application/json'")
        options.append(f"--data {shlex.quote(literal(request.body, JSON))}")
    return " \\\n  ".join([*options, f'"$SITEWRIGHT_URL{request.path}"']) + "\n"


def _arguments(request: ExampleRequest, syntax: Syntax, file: str) -> str:
    arguments = [syntax.text(request.method), syntax.text(request.path)]
    if request.file_type is not None:
        arguments += [file, syntax.text(request.file_type)]
    elif request.body is not None:
        arguments.append(literal(request.body, syntax, width=80))
    return ", ".join(arguments)


def _python(request: ExampleRequest) -> str:
    arguments = _arguments(request, literals.PYTHON, f'open("{FILE}", "rb").read()')
    return f"from sitewright_api import call\n\nstatus, body = call({arguments})\nprint(status, body)\n"


def _php(request: ExampleRequest) -> str:
    arguments = _arguments(request, PHP, f"file_get_contents('{FILE}')")
    return (
        f"<?php\nrequire_once 'sitewright_api.php';\n\n[$status, $body] = sitewright_call({arguments});\n"
        "echo $status, ' ', json_encode($body), \"\\n\";\n"
    )


def _node(request: ExampleRequest) -> str:
    arguments = _arguments(request, NODE, f"await readFile('{FILE}')")
    reading = "import { readFile } from 'node:fs/promises'\n" if request.file_type is not None else ""
    return (
        f"import {{ call }} from './sitewright_api.mjs'\n{reading}\n"
        f"const {{ status, body }} = await call({arguments})\nconsole.log(status, body)\n"
    )


PYTHON = Language(key="python", name="Python", render=_python, client_file="sitewright_api.py")
LANGUAGES = (
    Language(key="shell", name="curl", render=_curl, client_file="sitewright_api.sh"),
    PYTHON,
    Language(key="php", name="PHP", render=_php, client_file="sitewright_api.php"),
    Language(key="node", name="Node", render=_node, client_file="sitewright_api.mjs"),
)
