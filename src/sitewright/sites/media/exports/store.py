from collections.abc import Sequence

import msgspec

from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction

_PICTURES = """
select row_to_json(x)::text from (
    select m.site_ref as "siteRef", m.ref, m.name, m.alt, m.mime_type as "mimeType", m.width, m.height, m.bytes,
           m.focal_x as "focalX", m.focal_y as "focalY", m.created_at as "created", m.updated_at as "updated"
      from hosted_sites s join media m on m.brand_ref = s.brand_ref and m.site_ref = s.ref
     where s.brand_ref = current_brand() and s.user_ref = $1 order by m.site_ref, m.ref) x
"""
Position = tuple[int, int]
"""The keyset cursor of a picture: its site and its ref."""


class OriginalFile(msgspec.Struct, frozen=True):
    site_ref: int
    ref: int
    name: str
    mime_type: str
    object_key: str

    @property
    def position(self) -> Position:
        return self.site_ref, self.ref


async def write_list(tx: Transaction, export: DataExport) -> None:
    await export.write("pictures.json", tx.cursor(_PICTURES, export.user_ref))


async def list_originals(tx: Transaction, user_ref: int, after: Position, limit: int) -> Sequence[OriginalFile]:
    rows = await tx.fetch(
        "select m.site_ref, m.ref, m.name, m.mime_type, m.object_key"
        " from hosted_sites s join media m on m.brand_ref = s.brand_ref and m.site_ref = s.ref"
        " where s.brand_ref = current_brand() and s.user_ref = $1 and (m.site_ref, m.ref) > ($2::bigint, $3::bigint)"
        " order by m.site_ref, m.ref limit $4",
        user_ref,
        *after,
        limit,
    )
    return [OriginalFile(*row) for row in rows]
