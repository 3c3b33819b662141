from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction

_PACKAGES = """
select row_to_json(x)::text from (
    select a.ref, p.name as "package", a.is_trial as "trial", a.billing_period_months as "billingFrequency",
           c.alpha_code as "currency", a.price, a.started_at as "started", a.due_at as "expires", a.ended_at as "ended"
      from account_packages a
      left join package_terms p on p.ref = a.package_ref
      left join currency_list c on c.ref = a.currency_ref
     where a.brand_ref = current_brand() and a.user_ref = $1 order by a.ref) x
"""
_CHARGES = """
select row_to_json(x)::text from (
    select h.ref, p.name as "package", c.alpha_code as "currency", h.amount,
           h.billing_period_months as "billingFrequency", h.period_starts_at as "periodStarts",
           h.period_ends_at as "periodEnds", h.at, h.voided_at as "voided"
      from charges h
      left join package_terms p on p.ref = h.package_ref
      left join currency_list c on c.ref = h.currency_ref
     where h.brand_ref = current_brand() and h.user_ref = $1 order by h.ref) x
"""
_EVENTS = """
select row_to_json(x)::text from (
    select e.ref, e.kind as "event", e.reason, p.name as "package", e.at
      from lifecycle_events e
      left join package_terms p on p.ref = e.package_ref
     where e.brand_ref = current_brand() and e.user_ref = $1 order by e.ref) x
"""


async def export_user(tx: Transaction, export: DataExport) -> None:
    await export.write("packages.json", tx.cursor(_PACKAGES, export.user_ref))
    await export.write("charges.json", tx.cursor(_CHARGES, export.user_ref))
    await export.write("package-events.json", tx.cursor(_EVENTS, export.user_ref))
