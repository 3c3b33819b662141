-- All that a mail server may see. A mailbox is looked up by its two halves, name and domain, which are indexed. Applied again
-- whenever this file changes.

-- Receives mail: of an active domain, of a user who is not deleted. The folder has the mailbox's own ref, so that a later
-- owner of the same address never sees older mail.
create or replace view mail_server.mailboxes with (security_barrier) as
    select m.name, d.domain, m.brand_ref || '/' || m.ref as home
      from mailboxes m
      join account_domains d on d.brand_ref = m.brand_ref and d.ref = m.account_domain_ref
      join users u on u.brand_ref = d.brand_ref and u.ref = d.user_ref
     where d.status = 'active' and d.ended_at is null and u.deleted_at is null and u.anonymised_at is null;

-- May log in: active, and of a user who is not suspended either.
create or replace view mail_server.logins with (security_barrier) as
    select m.name, d.domain, '{ARGON2ID}' || m.password_hash as password
      from mailboxes m
      join account_domains d on d.brand_ref = m.brand_ref and d.ref = m.account_domain_ref
      join users u on u.brand_ref = d.brand_ref and u.ref = d.user_ref
     where m.status = 'active' and d.status = 'active' and d.ended_at is null
       and u.deleted_at is null and u.anonymised_at is null and u.suspended_at is null;

create or replace view mail_server.domains with (security_barrier) as
    select d.domain
      from account_domains d join users u on u.brand_ref = d.brand_ref and u.ref = d.user_ref
     where d.status = 'active' and d.ended_at is null and u.deleted_at is null and u.anonymised_at is null
       and exists (select from mailboxes m where m.brand_ref = d.brand_ref and m.account_domain_ref = d.ref);

create or replace view mail_server.removed_homes with (security_barrier) as
    select r.brand_ref || '/' || r.ref as home, r.removed_at from removed_mailboxes r;

-- Uses a token up: one row for its single use, none ever after. `asked_digest` is the token's SHA-256 in hexadecimal.
create or replace function mail_server.take_login_token(asked_name text, asked_domain text, asked_digest text)
    returns table (name text, domain text)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    delete from mailbox_login_tokens t using mailboxes m, account_domains d, mail_server.logins l
     where t.digest = decode(asked_digest, 'hex') and t.expires_at > now()
       and m.brand_ref = t.brand_ref and m.ref = t.mailbox_ref
       and d.brand_ref = m.brand_ref and d.ref = m.account_domain_ref
       and l.name = m.name and l.domain = d.domain and m.name = asked_name and d.domain = asked_domain
       and d.ended_at is null
    returning m.name, d.domain
$$;

revoke execute on function mail_server.take_login_token from public;
grant execute on function mail_server.take_login_token to sitewright_mail;

grant select on mail_server.mailboxes, mail_server.logins, mail_server.domains, mail_server.removed_homes
    to sitewright_mail;

-- The DKIM keys that the mail server signs with: sealed, so that only the service's master key opens them
-- (`sitewright dns dkim-keys` writes them for the mail server).
create or replace view mail_server.dkim_keys with (security_barrier) as
    select z.name as domain, z.dkim_selector as selector, z.dkim_public_key as public_key, z.sealed_dkim_key as sealed_key,
           z.brand_ref, z.account_domain_ref
      from dns_zones z join mail_server.domains d on d.domain = z.name
     where z.sealed_dkim_key is not null and z.removed_at is null;
grant select on mail_server.dkim_keys to sitewright_mail;
