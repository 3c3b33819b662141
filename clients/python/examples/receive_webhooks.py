"""Receives webhook deliveries and prints the authentic ones. Usage: receive_webhooks.py PORT SECRET COUNT"""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from sitewright_client import WebhookRejected, verify_webhook

port, secret, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])


class Deliveries(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(secret, dict(self.headers.items()), body)
        except WebhookRejected as error:
            print("rejected:", error, flush=True)
            self.send_response(401)
        else:
            print("received:", event["eventName"], event["sequence"], flush=True)
            self.send_response(204)
        self.end_headers()

    def log_message(self, *_parts: object) -> None:
        """Print no line of its own for each request."""


with HTTPServer(("127.0.0.1", port), Deliveries) as server:
    print("ready", flush=True)
    for _ in range(count):
        server.handle_request()
