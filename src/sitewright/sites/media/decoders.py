"""The decoder processes of this process, started on first use; they end with it."""

import asyncio

from sitewright.kit.cpus import usable_cpus
from sitewright.settings import Settings
from sitewright.sites.media.pictures.service import Pictures

_opened: dict[asyncio.AbstractEventLoop, Pictures] = {}


def pictures_of(settings: Settings) -> Pictures:
    """Processes belong to the event loop that started them; a process of the service has one."""
    loop = asyncio.get_running_loop()
    if loop not in _opened:
        _opened[loop] = Pictures(decoder_processes(settings))
    return _opened[loop]


def decoder_processes(settings: Settings) -> int:
    """For each API process, and for the worker: a share of the CPUs, unless it is set."""
    return settings.decoder_processes or max(1, usable_cpus() // settings.api_processes)
