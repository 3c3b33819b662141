"""The changes of global and static values, made by the services of values."""

from sitewright.sites.content.changes import package_rules
from sitewright.sites.content.changes.images.rows import Scope
from sitewright.sites.content.changes.items import find_global_value, find_static_value
from sitewright.sites.content.changes.requests import SetGlobalValue, SetStaticValue
from sitewright.sites.content.changes.work import Work, check_etag
from sitewright.sites.content.values import service as values
from sitewright.sites.content.values.requests import NewGlobalValue, StaticValueChanges


async def set_global_value(work: Work, change: SetGlobalValue) -> str:
    item = find_global_value(await work.recorder.watch(Scope(global_values=[change.name])), change.name)
    check_etag(item, change.etag)
    await package_rules.check_global_value(work, change.name)
    ref = None if item is None else item.ref
    if change.value is not None:
        new = NewGlobalValue(change.name, change.value)
        await values.set_global_value(work.tx, work.caller, work.site.ref, ref, new)
    elif ref is not None:
        await values.delete_global_value(work.tx, work.caller, work.site.ref, ref)
    return change.name


async def set_static_value(work: Work, change: SetStaticValue) -> str:
    key = (change.id, change.name)
    item = find_static_value(await work.recorder.watch(Scope(static_values=[key])), *key)
    check_etag(item, change.etag)
    await package_rules.check_design(work)
    if change.value is not None:
        changes = StaticValueChanges(name=change.name, value=change.value)
        await values.set_static_values(work.tx, work.caller, work.site.ref, change.id, changes)
    elif item is not None:
        await values.delete_static_value(work.tx, work.caller, work.site.ref, item.ref)
    return f"{change.id} {change.name}"
