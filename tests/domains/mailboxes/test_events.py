"""Events about mailboxes, without their addresses."""

import httpx

from tests.domains.mailboxes.conftest import Holder, put
from tests.support.emitted import emitted
from tests.support.users import OwnerConnection


async def test_mailboxes_are_created_and_deleted_one_by_one_or_with_their_domain(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder
) -> None:
    for name in ("zebedee", "zebedee", "info"):
        assert (await put(owner, ann, name)).is_success
    refs = [row["ref"] for row in await owner_connection.fetch("select ref from mailboxes order by ref")]
    assert (await owner.delete(f"{ann.path}/zebedee")).status_code == 204
    assert (await owner.delete(f"/account-domains/{ann.domain_ref}")).status_code == 204
    about = {"accountHolder": {"ref": ann.user_ref}, "accountDomainRef": ann.domain_ref}
    found = [each for each in await emitted(owner_connection) if each[0].startswith("mailbox.")]
    assert found == [
        *(("mailbox.created", about | {"mailboxRef": ref}) for ref in refs),
        *(("mailbox.deleted", about | {"mailboxRef": ref}) for ref in refs),
    ]
    stored = await owner_connection.fetch("select body::text from events")
    assert not [row["body"] for row in stored if "zebedee" in row["body"] or "example.com" in row["body"]]
