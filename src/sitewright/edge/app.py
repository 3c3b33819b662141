"""The site listener. No site exists yet, so every host gets the holding page."""

from sitewright.kit.http.asgi import HTTPScope, Receive, Send

HOLDING_PAGE = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No website here yet</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: #f6f7f9; color: #1d2733;
       font: 1.1rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; padding: 2rem; text-align: center; }
</style>
<main>
<h1>No website here yet</h1>
<p>This address points to our servers, but no website is published on it.</p>
</main>
</html>
"""

HEADERS = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-length", str(len(HOLDING_PAGE)).encode()),
    (b"x-sitewright-page", b"holding"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


async def edge_app(_scope: HTTPScope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": HEADERS})
    await send({"type": "http.response.body", "body": HOLDING_PAGE, "more_body": False})
