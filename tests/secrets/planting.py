"""Plants every secret that the service accepts or returns, over HTTP and the command line."""

import asyncio
import base64
import json
import re
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from sitewright.kit.key_file import KeyFile
from sitewright.sites.media.pictures.service import Format
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.secrets.canaries import Canary, invented
from tests.secrets.installation import Installation
from tests.secrets.places import command_output, unzipped
from tests.support.cast import SignedBy
from tests.support.certificates import certificate_for
from tests.support.customers import Customer, done
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.operators import CONSOLE_COOKIE, log_in_operator, set_up_second_factor
from tests.support.pictures import picture
from tests.support.s3_server import Bucket


async def plant_callers(installation: Installation) -> None:
    """Commands print secrets once; a reseller's are returned once, and again for the same idempotency key."""
    printed = await command_output(
        installation.service,
        ("credentials", "create", "--brand", "1", "--operator", f"operator-{installation.control.text}"),
        ("credentials", "create", "--brand", "1", "--label", installation.control.text),
        ("webhooks", "secret", "--brand", "1"),
        ("webhooks", "rotate-secret", "--brand", "1"),
    )
    operator, oauth_credentials = (json.loads(each) for each in re.findall(rb"\{.*?\}", printed, re.DOTALL))
    password = installation.plant("operator's password", operator["password"])
    installation.plant("brand's consumerSecret", oauth_credentials["consumerSecret"])
    installation.plant("brand's accessSecret", oauth_credentials["accessSecret"])
    for number, secret in enumerate(re.findall(rb"whsec_(\S+)", printed), 1):
        installation.plant(f"webhook secret {number}", b"whsec_" + secret)
        installation.plant(f"webhook secret {number}, its bytes", base64.b64decode(secret))
    await done(installation.client.get("/users", auth=(operator["username"], password.text)))
    wrong = installation.plant("wrong operator's password")
    await installation.expect(401, "GET", "/users", auth=(operator["username"], wrong.text))
    await installation.expect(
        401, "GET", "/users", auth=("nobody", installation.plant("password of an unknown operator").text)
    )
    await _sign(installation, oauth_credentials)
    await _plant_reseller(installation)
    await _plant_console(installation, operator["username"], password.text)


async def _plant_console(installation: Installation, username: str, password: str) -> None:
    """An operator logs in to the console and sets up one-time codes."""
    async with http_client(installation.service.api_url) as browser:
        assert (await log_in_operator(browser, username, password)).status_code == 303
        installation.plant("session of the console", browser.cookies[CONSOLE_COOKIE])
        secret, codes = await set_up_second_factor(browser)
    installation.plant("secret of one-time codes", secret)
    installation.plant("secret of one-time codes, as shown", base64.b32encode(secret))
    for number, code in enumerate(codes, 1):
        installation.plant(f"recovery code {number}", code)


async def _sign(installation: Installation, oauth_credentials: dict[str, str]) -> None:
    signing = OAuthCredentials(
        **{
            re.sub("[A-Z]", lambda each: f"_{each[0].lower()}", name): oauth_credentials[name]
            for name in oauth_credentials
        }
    )
    await done(installation.client.get("/users", auth=SignedBy(signing)))
    await installation.expect(401, "GET", "/users", auth=SignedBy(signing, signature_method="PLAINTEXT"))


async def _plant_reseller(installation: Installation) -> None:
    body = {"name": "R", "displayName": "R", "defaultCurrencyRef": 1, "defaultLanguageRef": 1}
    kept = {"Idempotency-Key": "a reseller"}
    credentials = (await installation.post("/brands/1/resellers", body, headers=kept))["credentials"]
    secrets = [
        installation.shown(f"reseller's {name}", credentials[name]) for name in ("consumerSecret", "accessSecret")
    ]
    await installation.post("/brands/1/resellers", body, headers=kept)
    for secret in secrets:
        installation.shown_again(secret)


async def plant_user(installation: Installation) -> int:
    """Passwords that are set, mistyped, refused and reset."""
    body = {
        "brandRef": 1,
        "firstName": installation.control.text,
        "lastName": "Example",
        "username": installation.control.text,
        "email": f"{installation.control.text}@mail.example",
        "languageCode": "en",
    }
    first = installation.plant("password at create")
    created = await installation.post("/users", body | {"password": first.text}, headers={"Idempotency-Key": "a user"})
    user_ref: int = created["accountHolder"]["ref"]
    await _log_in(installation, first)
    second = installation.plant("password at edit")
    await done(installation.client.put(f"/users/{user_ref}", json={"password": second.text}))
    await _refuse_passwords(installation, body, user_ref)
    return user_ref


async def _log_in(installation: Installation, password: Canary) -> None:
    async def sends(status: int, username: str, password: str) -> httpx.Response:
        form = {"username": username, "password": password, "brandRef": "1"}
        return await installation.visit(status, "/login", data=form)

    response = await sends(303, installation.control.text, password.text)
    installation.shown("session", response.cookies["sitewright"])
    page = await installation.visit(200, "/account")
    assert installation.control.text in page.text
    installation.visitor.cookies.clear()
    await sends(401, installation.control.text, installation.plant("wrong password").text)
    typed = installation.plant("password typed where the name belongs")
    await sends(401, typed.text, "whatever")
    installation.shown_again(typed)


async def _refuse_passwords(installation: Installation, body: dict[str, Any], user_ref: int) -> None:
    users, long = "/users", installation.plant("password that is too long")
    await installation.expect(400, "POST", users, json=body | {"username": "other", "password": long.text + "x" * 100})
    await installation.expect(
        400, "PUT", f"{users}/{user_ref}", json={"password": [installation.plant("password in a list").text]}
    )
    broken = f'{{"password": "{installation.plant("password in broken JSON").text}"'
    await installation.expect(400, "POST", users, content=broken, headers={"Content-Type": "application/json"})
    text = installation.plant("password in plain text").text
    await installation.expect(415, "POST", users, content=text, headers={"Content-Type": "text/plain"})
    await installation.expect(200, "GET", users, params={"password": installation.plant("password in a query").text})
    await installation.expect(404, "GET", f"/{installation.plant('secret in a path').text}")
    taken = body | {"password": installation.plant("password of a name that is taken").text}
    await installation.expect(409, "POST", users, json=taken)


async def plant_links(installation: Installation, user_ref: int, site_host: str) -> None:
    """Log-in, reset and verification tokens: used, used twice, and invented."""
    path = f"/users/{user_ref}/auto-login"
    kept = {"Idempotency-Key": "a hash"}
    first = installation.shown("log-in hash", (await installation.post(path, headers=kept))["hash"])
    assert (await installation.post(path, headers=kept))["hash"] == first.text
    installation.shown_again(first)
    await installation.visit(303, f"{installation.service.site_url}/?hash={first.text}", headers={"Host": site_host})
    installation.shown_again(first)
    for status in (303, 400):
        await installation.visit(status, "/login", params={"hash": first.text})
    unused = installation.shown("log-in hash that nobody uses", (await installation.post(path))["hash"])
    await installation.visitor.head("/login", params={"hash": unused.text})
    made_up = installation.plant("made-up log-in hash")
    await installation.visit(400, "/login", params={"hash": f"1-{made_up.text}"})


async def plant_preview_link(installation: Installation, customer: Customer) -> None:
    """The address of a preview link is shown once; pages of the preview link to each other by it."""
    link = (await installation.post(f"{customer.path}/preview-links", {}))["previewLink"]
    secret = installation.shown("secret of a preview link", link["url"].rpartition("/")[2])
    for status, path in ((200, ""), (404, "/nothing")):
        await installation.visit(status, f"/preview/{secret.text}{path}")
        installation.shown_again(secret)
    await done(installation.client.get(f"{customer.path}/preview-links"))
    await installation.visit(404, f"/preview/1-{installation.plant('made-up preview link').text}")


async def plant_mailed_links(installation: Installation, user_ref: int) -> None:
    forgotten = {"username": installation.control.text, "loginLink": "https://northwind.example/login"}
    await installation.post("/users/forgotten-password", forgotten)
    reset = installation.plant("reset hash", await installation.mailed("passwordReset", "h"))
    third = installation.plant("password at reset")
    await installation.post("/users/reset-password", {"hash": reset.text, "password": third.text})
    await installation.expect(400, "POST", "/users/reset-password", json={"hash": reset.text, "password": third.text})
    verify = {"verificationUrl": "https://northwind.example/verify"}
    await installation.post(f"/users/{user_ref}/send-verification-email", verify)
    token = installation.plant("verification token", await installation.mailed("verification", "token"))
    await installation.post(f"/users/{user_ref}/validate-email-verification-token", {"token": token.text})
    await installation.expect(
        400, "POST", f"/users/{user_ref}/validate-email-verification-token", json={"token": token.text}
    )


async def plant_mailbox(installation: Installation) -> None:
    demo = installation.service.demo["brands"][0]["demoUser"]
    path = f"/users/{demo['userRef']}/domains/{demo['accountDomainRef']}/mailboxes"
    mailbox = f"{path}/{installation.control.text}"
    for name in ("mailbox password", "second mailbox password"):
        await done(installation.client.put(mailbox, json={"password": installation.plant(name).text}))

    async def is_active() -> bool:
        return {"user": installation.control.text.lower(), "status": "active"} in (
            await done(installation.client.get(path))
        )["mailboxes"]

    await eventually(is_active)
    kept = {"Idempotency-Key": "a token"}
    token = installation.shown(
        "mailbox token", (await installation.post(f"{mailbox}/login-tokens", headers=kept))["loginToken"]
    )
    await installation.post(f"{mailbox}/login-tokens", headers=kept)
    installation.shown_again(token)


async def plant_certificate(installation: Installation, host: str) -> None:
    """An Ed25519 key: its secret part is on one line."""
    issued = certificate_for(host, kind="ed25519")
    installation.plant("key of a certificate, as PEM", issued.key.splitlines()[1])
    installation.plant("key of a certificate, its bytes", issued.private_key.private_bytes_raw())
    body = {"key": issued.key, "cert": issued.chain}
    path = f"/ssl-certs/{host}"
    await installation.expect(401, "PUT", path, content=json.dumps(body), headers={"Content-Type": "text/plain"})
    await installation.expect(400, "PUT", path, json=body | {"cert": issued.key})
    await done(installation.client.put(path, json=body))


async def plant_site(installation: Installation, user_ref: int) -> Customer:
    """Published, and delivered to a receiver that responds."""
    body = {"event": "site.publish", "url": f"{installation.receiver.url}/{installation.control.text}", "active": True}
    await installation.post("/webhooks/subscription", body)
    site = {"accountHolderRef": user_ref, "brandRef": 1, "domain": f"{installation.control.text}.example"}
    customer = Customer(installation.client, user_ref, (await installation.post("/sites", site))["site"])
    await customer.update_profile(business=installation.control.text)
    await customer.publish()
    await eventually(lambda: installation.receiver.arrived)
    return customer


class S3Keys:
    """The keys of the media store, which the service reads from files."""

    def __init__(self, folder: Path) -> None:
        self.canaries = {name: invented(name) for name in ("s3_access_key_id", "s3_secret_access_key")}
        self._files = {name: folder / name for name in self.canaries}
        for name, file in self._files.items():
            file.write_text(self.canaries[name].text)

    def settings(self, url: str, bucket: str) -> dict[str, str]:
        files = {f"{name}_file": str(file) for name, file in self._files.items()}
        return files | {"media_store": "s3", "s3_endpoint": url, "s3_bucket": bucket}


async def plant_s3_keys(installation: Installation, keys: S3Keys, customer: Customer, bucket: Bucket) -> None:
    """Used for a picture that the store refuses, since there is no bucket, and for one that it takes."""
    installation.canaries += keys.canaries.values()
    path, image = f"{customer.path}/media", {"file": picture(Format.PNG)}
    bucket.client.delete_bucket(Bucket=bucket.name)
    await installation.expect(503, "POST", path, files=image)
    bucket.create()
    created = await done(installation.client.post(path, files=image))
    assert bucket.keys()
    await installation.visit(200, created["media"]["url"])


async def plant_report(installation: Installation) -> bytes:
    """The contents of the archive."""
    job = (await installation.post("/user-reports"))["job"]

    async def finished() -> Any:
        response = await installation.client.get(f"/user-reports/{job}")
        return response.json() if response.status_code == 200 else None

    link = (await eventually(finished))["report"]
    installation.shown("signature of a report's link", link.partition("signature=")[2])
    return unzipped((await installation.visit(200, link)).content)


def plant_own_keys(installation: Installation) -> None:
    """Secrets of the installation itself and of its demo."""
    folder = installation.service.data_dir
    for key in KeyFile(folder / "master.key").read():
        installation.plant("master key", key)
    installation.plant("password of the database", (folder / "postgres.password").read_text().strip())
    default = load_pem_private_key((folder / "default-certificate.pem").read_bytes(), None)
    number: int = default.private_numbers().private_value  # type: ignore[union-attr]
    installation.plant("key of the default certificate", number.to_bytes(32))
    demo = installation.service.demo
    installation.plant("system-owner's password", demo["systemOwner"]["password"])
    for brand in demo["brands"]:
        ref = brand["brandRef"]
        installation.plant(f"password of demo operator {ref}", brand["basic"]["password"])
        installation.plant(f"password of demo user {ref}", brand["demoUser"]["password"])
        installation.plant(f"demo consumerSecret {ref}", brand["oauth"]["consumerSecret"])
        installation.plant(f"demo accessSecret {ref}", brand["oauth"]["accessSecret"])


async def read_everything(installation: Installation, customer: Customer) -> None:
    """Read everything that can be read, so that it is among the responses."""
    user, site = f"/users/{customer.user_ref}", customer.path
    demo = installation.service.demo["brands"][0]["demoUser"]
    await asyncio.gather(*(done(installation.client.get(path)) for path in (
        "/users", user, f"{user}/sites", f"{user}/account-packages", f"{user}/profiles/{customer.site['profileRef']}",
        "/sites?brandRef=1", site, f"{site}/domains", f"{site}/pages", f"{site}/widgets", f"{site}/publishable",
        "/brands/1/resellers", "/webhooks/subscription", "/webhooks/subscription/1/attempts",
        f"/users/{demo['userRef']}/domains/mailboxes", f"/account-domains/{demo['accountDomainRef']}", "/openapi.json",
    )))  # fmt: skip
