"""Plants every secret that the service accepts or returns, over HTTP and the command line."""

import asyncio
import base64
import json
import re
from typing import Any

import httpx
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from sitewright.kit.key_file import KeyFile
from sitewright.tenants.credentials.service import OAuthStrings
from tests.secrets.canaries import Canary
from tests.secrets.nest import PATIENT, Nest
from tests.secrets.places import said_by, unzipped
from tests.support.cast import SignedBy
from tests.support.certificates import certificate_for
from tests.support.customers import Customer, done
from tests.support.eventually import eventually


async def plant_callers(nest: Nest) -> None:
    """Commands print secrets once; a reseller's are returned once, and again for the same idempotency key."""
    printed = await said_by(
        nest.service,
        ("credentials", "create", "--brand", "1", "--operator", f"operator-{nest.control.text}"),
        ("credentials", "create", "--brand", "1", "--label", nest.control.text),
        ("webhooks", "secret", "--brand", "1"),
        ("webhooks", "rotate-secret", "--brand", "1"),
    )
    operator, strings = (json.loads(each) for each in re.findall(rb"\{.*?\}", printed, re.DOTALL))
    password = nest.plant("operator's password", operator["password"])
    nest.plant("brand's consumerSecret", strings["consumerSecret"])
    nest.plant("brand's accessSecret", strings["accessSecret"])
    for number, secret in enumerate(re.findall(rb"whsec_(\S+)", printed), 1):
        nest.plant(f"webhook secret {number}", b"whsec_" + secret)
        nest.plant(f"webhook secret {number}, its bytes", base64.b64decode(secret))
    await done(nest.client.get("/users", auth=(operator["username"], password.text)))
    wrong = nest.plant("wrong operator's password")
    await nest.answered(401, "GET", "/users", auth=(operator["username"], wrong.text))
    await nest.answered(401, "GET", "/users", auth=("nobody", nest.plant("password of an unknown operator").text))
    await _sign(nest, strings)
    await _plant_reseller(nest)


async def _sign(nest: Nest, strings: dict[str, str]) -> None:
    four = OAuthStrings(
        **{re.sub("[A-Z]", lambda each: f"_{each[0].lower()}", name): strings[name] for name in strings}
    )
    await done(nest.client.get("/users", auth=SignedBy(four)))
    await nest.answered(401, "GET", "/users", auth=SignedBy(four, signature_method="PLAINTEXT"))


async def _plant_reseller(nest: Nest) -> None:
    body = {"name": "R", "displayName": "R", "defaultCurrencyRef": 1, "defaultLanguageRef": 1}
    kept = {"Idempotency-Key": "a reseller"}
    told = (await nest.post("/brands/1/resellers", body, headers=kept))["credentials"]
    secrets = [nest.shown(f"reseller's {name}", told[name]) for name in ("consumerSecret", "accessSecret")]
    await nest.post("/brands/1/resellers", body, headers=kept)
    for secret in secrets:
        nest.shown_again(secret)


async def plant_user(nest: Nest) -> int:
    """Passwords that are set, mistyped, refused and reset."""
    body = {
        "brandRef": 1,
        "firstName": nest.control.text,
        "lastName": "Example",
        "username": nest.control.text,
        "email": f"{nest.control.text}@mail.example",
        "languageCode": "en",
    }
    first = nest.plant("password at create")
    created = await nest.post("/users", body | {"password": first.text}, headers={"Idempotency-Key": "a user"})
    user_ref: int = created["accountHolder"]["ref"]
    await _log_in(nest, first)
    second = nest.plant("password at edit")
    await done(nest.client.put(f"/users/{user_ref}", json={"password": second.text}))
    await _refuse_passwords(nest, body, user_ref)
    return user_ref


async def _log_in(nest: Nest, password: Canary) -> None:
    async def sends(status: int, username: str, password: str) -> httpx.Response:
        form = {"username": username, "password": password, "brandRef": "1"}
        return await nest.visited(status, "/login", data=form)

    answer = await sends(303, nest.control.text, password.text)
    nest.shown("session", answer.cookies["sitewright"])
    page = await nest.visited(200, "/account")
    assert nest.control.text in page.text
    nest.visitor.cookies.clear()
    await sends(401, nest.control.text, nest.plant("wrong password").text)
    typed = nest.plant("password typed where the name belongs")
    await sends(401, typed.text, "whatever")
    nest.shown_again(typed)


async def _refuse_passwords(nest: Nest, body: dict[str, Any], user_ref: int) -> None:
    users, long = "/users", nest.plant("password that is too long")
    await nest.answered(400, "POST", users, json=body | {"username": "other", "password": long.text + "x" * 100})
    await nest.answered(400, "PUT", f"{users}/{user_ref}", json={"password": [nest.plant("password in a list").text]})
    broken = f'{{"password": "{nest.plant("password in broken JSON").text}"'
    await nest.answered(400, "POST", users, content=broken, headers={"Content-Type": "application/json"})
    text = nest.plant("password in plain text").text
    await nest.answered(415, "POST", users, content=text, headers={"Content-Type": "text/plain"})
    await nest.answered(200, "GET", users, params={"password": nest.plant("password in a query").text})
    await nest.answered(404, "GET", f"/{nest.plant('secret in a path').text}")
    taken = body | {"password": nest.plant("password of a name that is taken").text}
    await nest.answered(409, "POST", users, json=taken)


async def plant_links(nest: Nest, user_ref: int, site_host: str) -> None:
    """Log-in, reset and verification tokens: used, used twice, and invented."""
    path = f"/users/{user_ref}/auto-login"
    kept = {"Idempotency-Key": "a hash"}
    first = nest.shown("log-in hash", (await nest.post(path, headers=kept))["hash"])
    assert (await nest.post(path, headers=kept))["hash"] == first.text
    nest.shown_again(first)
    await nest.visited(303, f"{nest.service.site_url}/?hash={first.text}", headers={"Host": site_host})
    nest.shown_again(first)
    for status in (303, 400):
        await nest.visited(status, "/login", params={"hash": first.text})
    unused = nest.shown("log-in hash that nobody uses", (await nest.post(path))["hash"])
    await nest.visitor.head("/login", params={"hash": unused.text})
    made_up = nest.plant("made-up log-in hash")
    await nest.visited(400, "/login", params={"hash": f"1-{made_up.text}"})


async def plant_mailed_links(nest: Nest, user_ref: int) -> None:
    forgotten = {"username": nest.control.text, "loginLink": "https://northwind.example/login"}
    await nest.post("/users/forgotten-password", forgotten)
    reset = nest.plant("reset hash", await nest.mailed("passwordReset", "h"))
    third = nest.plant("password at reset")
    await nest.post("/users/reset-password", {"hash": reset.text, "password": third.text})
    await nest.answered(400, "POST", "/users/reset-password", json={"hash": reset.text, "password": third.text})
    verify = {"verificationUrl": "https://northwind.example/verify"}
    await nest.post(f"/users/{user_ref}/send-verification-email", verify)
    token = nest.plant("verification token", await nest.mailed("verification", "token"))
    await nest.post(f"/users/{user_ref}/validate-email-verification-token", {"token": token.text})
    await nest.answered(400, "POST", f"/users/{user_ref}/validate-email-verification-token", json={"token": token.text})


async def plant_mailbox(nest: Nest) -> None:
    demo = nest.service.demo["brands"][0]["demoUser"]
    path = f"/users/{demo['userRef']}/domains/{demo['accountDomainRef']}/mailboxes"
    mailbox = f"{path}/{nest.control.text}"
    for name in ("mailbox password", "second mailbox password"):
        await done(nest.client.put(mailbox, json={"password": nest.plant(name).text}))

    async def is_active() -> bool:
        return {"user": nest.control.text.lower(), "status": "active"} in (await done(nest.client.get(path)))[
            "mailboxes"
        ]

    await eventually(is_active, within=PATIENT)
    kept = {"Idempotency-Key": "a token"}
    token = nest.shown("mailbox token", (await nest.post(f"{mailbox}/login-tokens", headers=kept))["loginToken"])
    await nest.post(f"{mailbox}/login-tokens", headers=kept)
    nest.shown_again(token)


async def plant_certificate(nest: Nest, host: str) -> None:
    """An Ed25519 key: its secret part is on one line."""
    issued = certificate_for(host, kind="ed25519")
    nest.plant("key of a certificate, as PEM", issued.key.splitlines()[1])
    nest.plant("key of a certificate, its bytes", issued.private_key.private_bytes_raw())
    body = {"key": issued.key, "cert": issued.chain}
    path = f"/ssl-certs/{host}"
    await nest.answered(401, "PUT", path, content=json.dumps(body), headers={"Content-Type": "text/plain"})
    await nest.answered(400, "PUT", path, json=body | {"cert": issued.key})
    await done(nest.client.put(path, json=body))


async def plant_site(nest: Nest, user_ref: int) -> Customer:
    """Published, and delivered to a receiver that responds."""
    body = {"event": "site.publish", "url": f"{nest.receiver.url}/{nest.control.text}", "active": True}
    await nest.post("/webhooks/subscription", body)
    site = {"accountHolderRef": user_ref, "brandRef": 1, "domain": f"{nest.control.text}.example"}
    customer = Customer(nest.client, user_ref, (await nest.post("/sites", site))["site"])
    await customer.tell(business=nest.control.text)
    await customer.publish()
    await eventually(lambda: nest.receiver.arrived, within=PATIENT)
    return customer


async def plant_report(nest: Nest) -> bytes:
    """The contents of the archive."""
    job = (await nest.post("/user-reports"))["job"]

    async def finished() -> Any:
        answer = await nest.client.get(f"/user-reports/{job}")
        return answer.json() if answer.status_code == 200 else None

    link = (await eventually(finished, within=PATIENT))["report"]
    nest.shown("signature of a report's link", link.partition("signature=")[2])
    return unzipped((await nest.visited(200, link)).content)


def plant_own_keys(nest: Nest) -> None:
    """Secrets of the installation itself and of its demo."""
    folder = nest.service.data_dir
    for key in KeyFile(folder / "master.key").read():
        nest.plant("master key", key)
    nest.plant("password of the database", (folder / "postgres.password").read_text().strip())
    default = load_pem_private_key((folder / "default-certificate.pem").read_bytes(), None)
    number: int = default.private_numbers().private_value  # type: ignore[union-attr]
    nest.plant("key of the default certificate", number.to_bytes(32))
    demo = nest.service.demo
    nest.plant("system-owner's password", demo["systemOwner"]["password"])
    for brand in demo["brands"]:
        ref = brand["brandRef"]
        nest.plant(f"password of demo operator {ref}", brand["basic"]["password"])
        nest.plant(f"password of demo user {ref}", brand["demoUser"]["password"])
        nest.plant(f"demo consumerSecret {ref}", brand["oauth"]["consumerSecret"])
        nest.plant(f"demo accessSecret {ref}", brand["oauth"]["accessSecret"])


async def ask_everything(nest: Nest, customer: Customer) -> None:
    """Read everything that can be read, so that it is among the responses."""
    user, site = f"/users/{customer.user_ref}", customer.path
    demo = nest.service.demo["brands"][0]["demoUser"]
    await asyncio.gather(*(done(nest.client.get(path)) for path in (
        "/users", user, f"{user}/sites", f"{user}/account-packages", f"{user}/profiles/{customer.site['profileRef']}",
        "/sites?brandRef=1", site, f"{site}/domains", f"{site}/pages", f"{site}/widgets", f"{site}/publishable",
        "/brands/1/resellers", "/webhooks/subscription", "/webhooks/subscription/1/attempts",
        f"/users/{demo['userRef']}/domains/mailboxes", f"/account-domains/{demo['accountDomainRef']}", "/openapi.json",
    )))  # fmt: skip
