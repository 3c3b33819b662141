-- What is found again when an account holder is anonymised or a site is erased, so that nothing of them is left.

-- An answer that is kept for whoever repeats a request tells of an account holder, or of a site. Forgotten, it is null, and
-- its row stays: who repeats the request then is told so, and does not do again what was undone.
alter table idempotent_answers
    alter column answer drop not null,
    add column user_ref bigint,
    add column site_ref bigint;
create index idempotent_answers_of_user on idempotent_answers (brand_ref, user_ref) where user_ref is not null;
create index idempotent_answers_of_site on idempotent_answers (brand_ref, site_ref) where site_ref is not null;

-- What a visitor of a site wrote, on its way to the site's owner.
alter table mails add column site_ref bigint;
create index mails_of_site on mails (brand_ref, site_ref) where site_ref is not null;

alter table events add column site_ref bigint
    generated always as (case when json_typeof(body -> 'site' -> 'ref') = 'number'
                              then (body -> 'site' ->> 'ref')::bigint end) stored;
create index events_of_site on events (brand_ref, site_ref) where site_ref is not null;

-- Events tell a site's names. They stay, in their order and with every ref, for deliveries that are still to come; the
-- names go, and so does what receivers answered, for they may have said them back.
create function forget_site_in_events(asked_site_ref bigint) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update webhook_attempts a set answer = null from events e
     where e.brand_ref = current_brand() and e.site_ref = asked_site_ref
       and a.brand_ref = e.brand_ref and a.sequence = e.sequence and a.answer is not null;
    update events e set body = (
        select json_object_agg(o.key, case o.key when 'site' then (
                   select json_object_agg(i.key, case i.key when 'domains' then '{}'::json
                                                            when 'primaryDomain' then 'null'::json
                                                            when 'primaryUrl' then '""'::json
                                                            else i.value end order by i.ordinality)
                     from json_each(o.value) with ordinality i) else o.value end order by o.ordinality)
          from json_each(e.body) with ordinality o)
     where e.brand_ref = current_brand() and e.site_ref = asked_site_ref
$$;
revoke execute on function forget_site_in_events from public;
grant execute on function forget_site_in_events to sitewright_service;
