"""Everything outside of a test's machines: a name server, certificate authorities and a mail server.

`python -m tests.support.machines.internet FOLDER ADDRESS SECOND_ADDRESS HOST_ADDRESS` runs it on the machine that has
both addresses. All names lead to HOST_ADDRESS, except for these servers. FOLDER then holds their roots, which the
other machines shall trust: `<name>/root.pem`.
"""

import asyncio
import socket
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import SMTP

from sitewright.demo.authority.keys import open_keys
from sitewright.demo.authority.service import authority
from sitewright.demo.name_server.records import Records
from sitewright.demo.name_server.service import NameServer, serving
from sitewright.kit.http.server import listen
from sitewright.kit.tls import server_context

AUTHORITY = "acme-v02.api.letsencrypt.org"
WITH_BINDING = "acme.example.com"
BINDINGS = {"your-key-identifier": "eW91ci1rZXktaW4tYmFzZTY0dXJs"}
MAIL_SERVER = "mail.example.com"
DNS_PORT, HTTPS_PORT, SUBMISSION_PORT = 53, 443, 587


async def serve_mail(folder: Path, address: str) -> None:
    """A server that requires STARTTLS, with a certificate of the first authority."""
    own = open_keys(folder / AUTHORITY).own_certificate(address, MAIL_SERVER)
    context = server_context(own.chain, own.key_pem)
    await asyncio.get_running_loop().create_server(
        lambda: SMTP(Sink(), tls_context=context, require_starttls=True), address, SUBMISSION_PORT
    )


async def main(folder: Path, address: str, second_address: str, host_address: str) -> None:
    async with AsyncExitStack() as stack:
        names = NameServer(Records([], [host_address], address, None), {}, f"{address}:{DNS_PORT}")
        for name, at in ((AUTHORITY, address), (MAIL_SERVER, address), (WITH_BINDING, second_address)):
            names.set(name, "A", [at])
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind((address, DNS_PORT))
        datagrams.setblocking(False)
        await stack.enter_async_context(serving(names, (datagrams, listen(address, DNS_PORT))))
        for name, at, accounts in ((AUTHORITY, address, {}), (WITH_BINDING, second_address, BINDINGS)):
            listener = listen(at, HTTPS_PORT)
            running = authority(
                name=name, resolver=names.address, folder=folder / name, listener=listener, external_accounts=accounts
            )
            await stack.enter_async_context(running)
        await serve_mail(folder, address)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
