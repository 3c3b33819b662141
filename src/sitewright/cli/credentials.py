"""`sitewright credentials`: API credentials and operators."""

import secrets
from typing import Annotated, Literal

import msgspec
import typer
from rich.table import Table

from sitewright.accounts.resellers import service as resellers
from sitewright.cli.context import out, shell_actor, with_resources
from sitewright.kit.auth.caller import Role
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials import service, store
from sitewright.tenants.credentials.errors import CredentialNotFound
from sitewright.tenants.credentials.second_factor import service as second_factor

app = typer.Typer(help="API credentials of programs, and operators with a password.", no_args_is_help=True)

Kind = Literal["api", "operator"]
StaffRole = Literal["brand-admin", "support", "viewer"]


@app.command()
def create(
    brand: Annotated[int | None, typer.Option(help="The brand's ref. An operator without one owns the system.")] = None,
    operator: Annotated[str | None, typer.Option(help="Create an operator with this user name instead.")] = None,
    label: Annotated[str, typer.Option(help="What the credential is for.")] = "",
    reseller: Annotated[int | None, typer.Option(help="Bind the credential to this reseller of the brand.")] = None,
    role: Annotated[StaffRole, typer.Option(help="What it may do: everything, help account holders, or only see.")] = (
        "brand-admin"
    ),
) -> None:
    """Create API credentials for a brand, or an operator; the secrets are shown this once."""

    async def work(resources: Resources) -> dict[str, str]:
        if operator is not None:
            return await _create_operator(resources, operator, brand, Role(role))
        if brand is None:
            raise typer.BadParameter("API credentials belong to a brand: name it with --brand REF")
        return await _create_api_credential(resources, brand, label, reseller, Role(role))

    out.print_json(msgspec.json.encode(with_resources(work)).decode())


@app.command("list")
def list_() -> None:
    """List all credentials, without their secrets."""

    async def work(resources: Resources) -> list[store.ListedCredential]:
        async with resources.database.connection() as connection:
            return await store.list_credentials(connection)

    table = Table("kind", "ref", "brand", "role", "name", "created", "revoked")
    for each in with_resources(work):
        revoked = f"{each.revoked_at:%Y-%m-%d %H:%M}" if each.revoked_at else ""
        brand = "" if each.brand_ref is None else str(each.brand_ref)
        table.add_row(
            each.kind,
            str(each.ref),
            brand,
            each.role,
            each.name,
            f"{each.created_at:%Y-%m-%d %H:%M}",
            revoked,
        )
    out.print(table)


@app.command()
def revoke(
    kind: Annotated[Kind, typer.Argument(help="The kind, as `credentials list` shows it.")],
    ref: Annotated[int, typer.Argument(min=1, help="The ref, as `credentials list` shows it.")],
    brand: Annotated[int | None, typer.Option(help="The brand's ref, where several have a credential with it.")] = None,
) -> None:
    """Revoke a credential: every process rejects it from now on."""

    async def work(resources: Resources) -> None:
        async with resources.database.connection() as connection:
            listed = await service.find_listed(connection, kind, ref, brand)
        async with resources.database.transaction(listed.brand_ref) as tx:
            await service.revoke(tx, shell_actor(), kind=kind, ref=ref)

    with_resources(work)
    out.print(f"Revoked {kind} {ref}.")


@app.command("reset-password")
def reset_password(
    ref: Annotated[int, typer.Argument(min=1, help="The operator's ref, as `credentials list` shows it.")],
) -> None:
    """Give an operator who has lost the password a new one, shown this once; sessions of the console end."""

    async def work(resources: Resources) -> dict[str, str]:
        async with resources.database.connection() as connection:
            listed = await service.find_listed(connection, "operator", ref)
        if listed.revoked_at is not None:
            raise CredentialNotFound
        password = secrets.token_urlsafe(18)
        password_hash = await resources.passwords.hash(password, listed.brand_ref)
        async with resources.database.transaction(listed.brand_ref) as tx:
            await service.change_operator_password(
                tx, shell_actor(), brand_ref=listed.brand_ref, ref=ref, password_hash=password_hash
            )
        return {"username": listed.name, "password": password}

    out.print_json(msgspec.json.encode(with_resources(work)).decode())


@app.command("reset-second-factor")
def reset_second_factor(
    ref: Annotated[int, typer.Argument(min=1, help="The operator's ref, as `credentials list` shows it.")],
) -> None:
    """Let an operator who has lost the second factor log in with the password alone."""

    async def work(resources: Resources) -> None:
        async with resources.database.connection() as connection:
            listed = await service.find_listed(connection, "operator", ref)
        async with resources.database.transaction(listed.brand_ref) as tx:
            await second_factor.reset(tx, shell_actor(), ref)

    with_resources(work)
    out.print(f"Operator {ref} logs in without a second factor now.")


async def _create_operator(resources: Resources, username: str, brand_ref: int | None, role: Role) -> dict[str, str]:
    password = secrets.token_urlsafe(18)
    password_hash = await resources.passwords.hash(password, brand_ref)
    async with resources.database.transaction(brand_ref) as tx:
        await service.create_operator(
            tx, shell_actor(), brand_ref=brand_ref, username=username, password_hash=password_hash, role=role
        )
    return {"username": username, "password": password}


async def _create_api_credential(
    resources: Resources, brand_ref: int, label: str, reseller_ref: int | None, role: Role
) -> dict[str, str]:
    role = role if reseller_ref is None else Role.RESELLER
    async with resources.database.transaction(brand_ref) as tx:
        if reseller_ref is not None:
            await resellers.require_reseller(tx, reseller_ref)
            label = label or f"reseller {reseller_ref}"
        strings = await service.create_api_credential(
            tx,
            resources.sealer,
            shell_actor(),
            brand_ref=brand_ref,
            label=label,
            role=role,
            reseller_ref=reseller_ref,
        )
    return msgspec.to_builtins(strings)  # type: ignore[no-any-return]
