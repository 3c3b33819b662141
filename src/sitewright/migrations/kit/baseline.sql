-- Foundation: authentication, audit, jobs, idempotency, mail.
--
-- Tables, keys, indexes, policies and grants, and the few functions that these depend on. Every table with a brand_ref is a
-- tenant table: row-level security, brand_ref leading its primary key, and rights for the service role granted one by one.

-- The brand of this transaction, which row-level security policies compare with. Null when none is set; tenant tables then
-- look empty.
create function current_brand() returns bigint
    language sql stable parallel safe
    return nullif(current_setting('sitewright.brand_ref', true), '')::bigint;

-- Used by the policy `backup` of the tables that force row-level security on their owner too. It applies to members of
-- sitewright_backup: pg_dump reads all rows, any other program the rows of the brand that is set. Without a brand it raises
-- an error, so that a backup never silently lacks rows.
create function owner_may_read_all() returns boolean language plpgsql stable as $$
begin
    if current_setting('application_name') = 'pg_dump' then
        return true;
    elsif nullif(current_setting('sitewright.brand_ref', true), '') is not null then
        return false;
    end if;
    raise exception 'row-level security holds the owner of this table too'
        using errcode = 'insufficient_privilege',
              hint = 'Name a brand: set sitewright.brand_ref = ''1''. All brands are read by pg_dump --enable-row-security alone.';
end $$;

-- previous release: its runner looks here for the migrations 1 to 32, which the baselines contain.
create table if not exists schema_migrations (
    number     integer primary key,
    name       text not null,
    applied_at timestamptz not null default now()
);
grant select on schema_migrations to sitewright_service;
insert into schema_migrations (number, name) values
    (1, 'foundation'), (2, 'across_brands'), (3, 'job_starts'), (4, 'idempotent_answers'),
    (5, 'catalogue'), (6, 'users'), (7, 'account_packages'), (8, 'mails'),
    (9, 'sites'), (10, 'certificates'), (11, 'resellers'), (12, 'account_domains'),
    (13, 'mailboxes'), (14, 'webhooks'), (15, 'user_reports'), (16, 'forgetting'),
    (17, 'claimed_mails'), (18, 'first_due'), (19, 'packages_in_use'), (20, 'users_refs'),
    (21, 'fewer_entries'), (22, 'rate_limits'), (23, 'reserved_names'), (24, 'profile_addresses'),
    (25, 'site_usage'), (26, 'package_sweep_failures'), (27, 'oldest_due'), (28, 'retention'),
    (29, 'safe_cells'), (30, 'force_row_security'), (31, 'upsert_global_values'), (32, 'site_refs');

-- Authentication
-- --------------

-- Nonces of OAuth requests, to reject replays. Accessed through functions only. Unknown consumer keys are stored under
-- credential 0, so that the response time does not reveal which keys exist.
create table oauth_nonces (
    credential_ref bigint not null,
    nonce          text not null,
    used_at        timestamptz not null default now(),
    primary key (credential_ref, nonce)
);
create index oauth_nonces_by_age on oauth_nonces using brin (used_at);

-- One row for each wrong credential, for rate limits that hold across all processes (decision 0035). `key` is a keyed digest
-- of the name or key that was sent, the same whether it exists or not; `address` is an IPv4 address or an IPv6 /64; `realm`
-- is 'api' or 'login'. A `pending` row reserves an attempt while its password is verified, and counts like a failure.
create table authentication_failures (
    address   inet not null,
    key       text not null,
    failed_at timestamptz not null default now(),
    ref       bigint generated always as identity,
    realm     text not null default 'api',
    pending   boolean not null default false
);
create index authentication_failures_by_pair on authentication_failures (address, key, failed_at);
create unique index authentication_failures_by_ref on authentication_failures (ref);
create index authentication_failures_by_address on authentication_failures (address, realm, failed_at);
create index authentication_failures_by_key on authentication_failures (key, failed_at);

-- Addresses from which a name has logged in within 30 days. The rate limits per address and per account do not apply to
-- log-ins with that name from there, so that failures from elsewhere cannot lock the account holder out.
create table trusted_addresses (
    address   inet not null,
    realm     text not null,
    key       text not null,
    proven_at timestamptz not null default now(),
    primary key (address, realm, key)
);
create index trusted_addresses_by_age on trusted_addresses (proven_at);

-- Audit
-- -----

-- Who did what to which object, when, in which request. Append-only: the service may insert and read, but not change rows.
create table audit_entries (
    brand_ref   bigint,
    ref         bigint generated always as identity,
    at          timestamptz not null,
    actor       text not null,
    action      text not null,
    subject     text not null,
    subject_ref bigint,
    request_id  text,
    details     jsonb not null default '{}',
    primary key (ref)
);
create index audit_entries_of_brand on audit_entries (brand_ref, at, ref);
create index audit_entries_of_subject on audit_entries (brand_ref, subject_ref, at, ref) where subject_ref is not null;
create index audit_entries_of_kind on audit_entries (brand_ref, subject, at, ref);
create index audit_entries_of_actor on audit_entries (brand_ref, actor, at, ref);
create index audit_entries_of_request on audit_entries (brand_ref, request_id) where request_id is not null;
create index audit_entries_by_age on audit_entries using brin (at);
alter table audit_entries enable row level security;
create policy one_brand on audit_entries using (brand_ref is not distinct from current_brand());
grant select, insert on audit_entries to sitewright_service;

-- The hash chain of each brand's audit entries (kit/functions_audit.sql); brand 0 is the environment. Only functions access these.
-- Entries that are not chained yet:
create table audit_inbox (
    brand_ref bigint not null,
    entry_ref bigint not null,
    primary key (brand_ref, entry_ref)
);
alter table audit_inbox enable row level security;
create policy one_brand on audit_inbox using (brand_ref = current_brand());

-- One link for each entry: `digest` is the entry's, `hash` covers the link and the hash before it. A link outlives its entry until all
-- older entries have been deleted too.
create table audit_chain (
    brand_ref bigint not null,
    sequence  bigint not null,
    entry_ref bigint not null,
    at        timestamptz not null,
    digest    bytea not null,
    hash      bytea not null,
    primary key (brand_ref, sequence)
);
alter table audit_chain enable row level security;
create policy one_brand on audit_chain using (brand_ref = current_brand());

-- The newest link of each chain, and the newest of those that were deleted.
create table audit_heads (
    brand_ref   bigint primary key,
    sequence    bigint not null default 0,
    hash        bytea not null default '',
    pruned      bigint not null default 0,
    pruned_hash bytea not null default ''
);
alter table audit_heads enable row level security;
create policy one_brand on audit_heads using (brand_ref = current_brand());

-- Jobs
-- ----

-- How often a job was started without finishing: a job that crashes its worker is dead-lettered after a few starts.
create table job_starts (
    job_id bigint primary key,
    starts integer not null default 1
);
grant select, insert, update, delete on job_starts to sitewright_service;

-- Nodes
-- -----

-- Running processes of all nodes. Each writes `seen_at` every 15 seconds, and deletes its row when it ends.
create table nodes (
    ref        bigint generated by default as identity primary key,
    host       text not null,
    kind       text not null check (kind in ('api', 'edge', 'worker')),
    process    integer not null,
    version    text not null,
    started_at timestamptz not null,
    seen_at    timestamptz not null
);
grant select, insert, update, delete on nodes to sitewright_service;

-- Idempotency-Key
-- ---------------

-- Responses to POST requests with an Idempotency-Key, sealed, kept for 24 hours. When the user or site they mention is
-- erased, `answer` becomes null and the row stays: a retry of the request is then rejected instead of executed again.
-- previous release: the names of the table and of `answer` are its names. A view under the former name would not do:
-- `sitewright keys rotate` of that release addresses rows by `ctid`. To be renamed to `idempotent_responses.response`.
create table idempotent_answers (
    brand_ref bigint,
    caller    text not null,
    key       text not null,
    digest    bytea not null,
    answer    bytea,
    kept_at   timestamptz not null,
    user_ref  bigint,
    site_ref  bigint,
    unique nulls not distinct (caller, key, brand_ref)
);
create index idempotent_answers_by_age on idempotent_answers (kept_at);
create index idempotent_answers_of_user on idempotent_answers (brand_ref, user_ref) where user_ref is not null;
create index idempotent_answers_of_site on idempotent_answers (brand_ref, site_ref) where site_ref is not null;
alter table idempotent_answers enable row level security;
create policy one_brand on idempotent_answers using (brand_ref is not distinct from current_brand());
grant select, insert, update on idempotent_answers to sitewright_service;

-- Mail
-- ----

-- The outbox of mail. `facts` (the values for the template, tokens among them) is sealed, and removed once the mail is
-- sent; a dead letter keeps it for a retry unless it holds a secret. `is_awaited`: a person waits for this mail, so it is
-- claimed before others. Claiming a mail moves `next_attempt_at` to the end of the lease. `site_ref`: a message of a
-- visitor of that site, on its way to the site's owner.
create table mails (
    brand_ref       bigint not null,
    ref             bigint generated by default as identity,
    user_ref        bigint,
    kind            text not null,
    facts           bytea,
    created_at      timestamptz not null,
    next_attempt_at timestamptz not null,
    attempts        integer not null default 0,
    last_error      text,
    sent_at         timestamptz,
    failed_at       timestamptz,
    is_awaited      boolean not null default false,
    site_ref        bigint,
    primary key (brand_ref, ref)
);
-- Each brand has a queue of awaited mails and one of the others (claim_due_mails).
create index mails_due on mails (brand_ref, (not is_awaited), next_attempt_at, ref)
    where sent_at is null and failed_at is null;
create index mails_of_user on mails (brand_ref, user_ref, ref);
create index mails_of_kind on mails (brand_ref, kind, ref);
create index mails_by_age on mails (created_at);
create index mails_failed on mails (brand_ref, failed_at) where failed_at is not null;
create index mails_of_site on mails (brand_ref, site_ref) where site_ref is not null;
alter table mails enable row level security;
create policy one_brand on mails using (brand_ref = current_brand());
grant select, insert, update, delete on mails to sitewright_service;

-- Signed receipts
-- ---------------

-- The keys that the service signs documents with, one for each purpose, created at first use; private keys sealed.
create table signing_keys (
    purpose    text primary key,
    public_key text not null,
    sealed_key bytea not null,
    created_at timestamptz not null
);
grant select, insert on signing_keys to sitewright_service;
