"""The delivery on the page about webhooks is authentic, and the code on that page says so."""

import base64
import json
from pathlib import Path

import pytest
from standardwebhooks import Webhook

from sitewright.web.reference.webhook_example import AT, SECRET, webhook_example
from tests.web.reference.runners import BY_KEY, PLAIN, run

NOW = int(AT.timestamp())
OTHER_SECRET = "whsec_" + base64.b64encode(b"another secret of the same size!").decode()
CASES = {
    "right": (SECRET, "", NOW),
    "other_body": (SECRET, " ", NOW),
    "other_secret": (OTHER_SECRET, "", NOW),
    "too_old": (SECRET, "", NOW + 301),
}
"""The secret, what is added to the body, and the receiver's time."""
CALLS = {
    "python": "import json\ncase = json.load(open('{name}.json'))\ncase[2] = case[2].encode()\n"
    "print('yes' if is_authentic(*case) else 'no')\n",
    "php": "$case = json_decode(file_get_contents('{name}.json'), true);\n"
    "echo is_authentic(...$case) ? 'yes' : 'no', \"\\n\";\n",
    "node": "import { readFileSync } from 'node:fs'\nconst given = JSON.parse(readFileSync('{name}.json'))\n"
    "console.log(isAuthentic(...given) ? 'yes' : 'no')\n",
}


@pytest.mark.parametrize(
    "language", ["python", *(pytest.param(each, marks=pytest.mark.system) for each in ("php", "node"))]
)
async def test_the_code_of_the_page_verifies_it(language: str, tmp_path: Path) -> None:
    shown, snippet = webhook_example(), BY_KEY[language].snippet("verify")
    if language == "php":  # a function may be declared once in a process
        (tmp_path / "verify.php").write_text(snippet)
        snippet = "<?php\nrequire_once 'verify.php';\n"
    for name, (secret, added, now) in CASES.items():
        (tmp_path / f"{name}.json").write_text(json.dumps([secret, shown.headers, shown.body + added, now]))
    codes = {name: snippet + CALLS[language].replace("{name}", name) for name in CASES}
    outputs = await run(language, codes, tmp_path, PLAIN | {"CURL_CA_BUNDLE": ""})
    assert {name: output.strip() for name, output in outputs.items()} == dict.fromkeys(CASES, "no") | {"right": "yes"}


def test_it_is_signed_as_the_standard_says() -> None:
    shown = webhook_example()
    signature = Webhook(shown.secret).sign(shown.headers["webhook-id"], AT, shown.body)
    assert shown.headers["webhook-signature"] == signature
