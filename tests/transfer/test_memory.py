"""Memory does not depend on the size of a brand: what was staged is not kept."""

import gc
import sys

from sitewright.transfer.imports.store import Staging
from tests.support.transfer import Installation


async def test_a_staged_block_is_freed_at_once(target: Installation) -> None:
    """Not only when garbage is collected, which happens seldom in a process that handles few objects."""
    staging = Staging(target.owner, "0" * 16)
    await staging.prepare(["users"])
    block = b"".join(b'{"ref": %d}\n' % ref for ref in range(1000))
    references = sys.getrefcount(block)
    gc.disable()
    try:
        await staging.add_block("users", block)
        assert sys.getrefcount(block) == references
    finally:
        gc.enable()
        await staging.drop()
