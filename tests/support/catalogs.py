"""Everything that the server's catalogs say about a schema, for comparing two databases."""

from typing import TypeAlias

import asyncpg

Catalog: TypeAlias = dict[str, set[str]]

_TABLES = "c.relnamespace = any(array['public', 'mail_server']::regnamespace[])"
_QUERIES = {
    "tables": f"""
        select c.relname, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions, c.relpersistence
          from pg_class c where {_TABLES} and c.relkind in ('r', 'v', 'S')""",
    "columns": f"""
        select c.relname, row_number() over (partition by c.oid order by a.attnum), a.attname,
               format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attstorage,
               pg_get_expr(d.adbin, d.adrelid)
          from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
         where {_TABLES} and c.relkind in ('r', 'v')""",
    "constraints": f"""
        select c.relname, k.conname, k.contype, pg_get_constraintdef(k.oid), k.convalidated
          from pg_constraint k join pg_class c on c.oid = k.conrelid where {_TABLES}""",
    "indexes": f"""
        select pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisunique, i.indisprimary, x.reloptions
          from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
         where {_TABLES}""",
    "policies": f"""
        select c.relname, p.polname, p.polcmd, p.polpermissive, p.polroles::regrole[]::text,
               pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)
          from pg_policy p join pg_class c on c.oid = p.polrelid where {_TABLES}""",
    "triggers": f"""
        select pg_get_triggerdef(t.oid), t.tgenabled
          from pg_trigger t join pg_class c on c.oid = t.tgrelid where {_TABLES} and not t.tgisinternal""",
    "functions": """
        select regexp_replace(pg_get_functiondef(p.oid), '--[^\\n]*', '', 'g') from pg_proc p
         where p.pronamespace = any(array['public', 'mail_server']::regnamespace[])""",
    "views": f"select c.relname, pg_get_viewdef(c.oid) from pg_class c where {_TABLES} and c.relkind = 'v'",
    "sequences": f"""
        select c.relname, s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle, s.seqcache,
               (select d.refobjid::regclass || ' ' || d.refobjsubid from pg_depend d
                 where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
                   and d.refclassid = 'pg_class'::regclass)
          from pg_sequence s join pg_class c on c.oid = s.seqrelid where {_TABLES}""",
    "grants": f"""
        select c.relname, a.grantee::regrole, a.privilege_type, a.is_grantable from pg_class c
         cross join lateral aclexplode(c.relacl) a where {_TABLES}
        union all
        select c.relname || '.' || t.attname, a.grantee::regrole, a.privilege_type, a.is_grantable
          from pg_class c join pg_attribute t on t.attrelid = c.oid cross join lateral aclexplode(t.attacl) a
         where {_TABLES}
        union all
        select p.oid::regprocedure::text, a.grantee::regrole, a.privilege_type, a.is_grantable
          from pg_proc p cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
         where p.pronamespace = any(array['public', 'mail_server']::regnamespace[])
        union all
        select n.nspname, a.grantee::regrole, a.privilege_type, a.is_grantable
          from pg_namespace n cross join lateral aclexplode(n.nspacl) a
         where n.nspname in ('public', 'mail_server', 'jobs')
    """,
}


async def catalog_of(connection: "asyncpg.Connection[asyncpg.Record]") -> Catalog:
    return {
        kind: {" | ".join(str(value) for value in row.values()) for row in await connection.fetch(query)}
        for kind, query in _QUERIES.items()
    }


def differences(first: Catalog, second: Catalog) -> list[str]:
    """One readable line for each difference; empty if both are the same."""
    return [
        f"{kind}: only in the {which}: {entry}"
        for kind in first
        for which, entries in (("first", first[kind] - second[kind]), ("second", second[kind] - first[kind]))
        for entry in sorted(entries)
    ]
