"""nginx with one worker process, serving the files of a folder."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.processes import free_port, running

PROGRAM = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
CONFIGURATION = """
{user}
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 100000000;
    types {{ text/html html; }}
    charset utf-8;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""


@contextmanager
def running_nginx(folder: Path, page: str, body: bytes) -> Iterator[str]:
    """Start nginx and return the URL of the page. Started as root it stays root, since the folder is private."""
    port = free_port()
    (folder / "www").mkdir()
    (folder / "www" / page).write_bytes(body)
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(user=user, folder=folder, port=port))
    url = f"http://127.0.0.1:{port}/{page}"
    with running(
        [PROGRAM or "nginx", "-c", str(configuration)],
        environment=os.environ,
        folder=folder,
        log=folder / "nginx.out",
        ready_url=url,
    ):
        yield url
