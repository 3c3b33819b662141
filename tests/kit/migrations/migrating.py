"""`python -m tests.kit.migrations.migrating URL FOLDER`: a process that migrates, for tests that kill it."""

import asyncio
import sys
from pathlib import Path

from sitewright.kit.migrations import migrate
from sitewright.kit.migrations.sources import sources_in

if __name__ == "__main__":
    asyncio.run(migrate(sys.argv[1], sources=sources_in(Path(sys.argv[2]))))
