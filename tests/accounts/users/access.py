"""Tokens and sessions that give access to a user's account."""

from sitewright.accounts.users.tokens import LOGIN_TOKEN, RESET_TOKEN, VERIFICATION_TOKEN
from sitewright.kit import tokens
from sitewright.kit.resources import Resources
from sitewright.kit.tokens import TokenKind
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection


async def issue_tokens(resources: Resources, ref: int) -> dict[TokenKind, str]:
    kinds: tuple[TokenKind, ...] = (LOGIN_TOKEN, RESET_TOKEN, VERIFICATION_TOKEN)
    async with resources.database.transaction(OWN_BRAND) as tx:
        return {kind: await tokens.issue(tx, kind, OWN_BRAND, ref) for kind in kinds}


async def valid_tokens(resources: Resources, given: dict[TokenKind, str]) -> list[str]:
    async with resources.database.transaction(OWN_BRAND) as tx:
        return [kind.name for kind, secret in given.items() if await tokens.claim(tx, kind, secret) is not None]


async def start_session(owner_connection: OwnerConnection, ref: int) -> None:
    await owner_connection.execute(
        "insert into sessions (brand_ref, digest, user_ref, created_at, expires_at)"
        " values (1, 'digest', $1, now(), now() + interval '1 day')",
        ref,
    )
