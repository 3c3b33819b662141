-- From the 32 migrations of before the baselines to exactly what the baselines make (tests/kit/migrations/test_upgrade.py
-- compares both). Functions and triggers are only dropped or renamed here: their files are applied afterwards.
-- Until the next release every change of a baseline is made here too.

-- Functions that neither this release nor the previous one calls.
drop function authenticate_oauth, authenticate_basic, record_authentication_failure, count_authentication_failures;

-- Mail is claimed by brand (mails_due). Indexes of existing tables are built before, in from_0032_indexes.sql.
drop index mails_waiting;

-- Webhooks: services insert deliveries, and clear what receivers of an erased site's events responded.
grant insert on webhook_deliveries to sitewright_service;
grant update (answer) on webhook_attempts to sitewright_service;

-- Keys on `ref` alone that serve no query: callers name a brand, and the primary key begins with it (decision 0057).
alter table package_prices drop constraint package_prices_ref_key;
alter table domain_products drop constraint domain_products_ref_key;
alter table resellers drop constraint resellers_ref_key;
alter table reseller_prices drop constraint reseller_prices_ref_key;
alter table profiles drop constraint profiles_ref_key;
alter table site_domains drop constraint site_domains_ref_key;
alter table pages drop constraint pages_ref_key;
alter table widgets drop constraint widgets_ref_key;
alter table widget_values drop constraint widget_values_ref_key;
alter table global_values drop constraint global_values_ref_key;
alter table static_values drop constraint static_values_ref_key;
alter table contact_messages drop constraint contact_messages_ref_key;
alter table certificates drop constraint certificates_ref_key;
alter table webhook_secrets drop constraint webhook_secrets_ref_key;

-- Indexes whose queries another one serves as well: events_pkey, and sites_of_user, since a user has few sites.
drop index events_by_id, sites_live_of_user;

-- The console and `sitewright audit list` show the newest entries of a brand, of an object, of a person or of a request.
drop index audit_entries_by_subject;

-- Retention deletes in batches. The previous release calls these without a limit, which the new ones allow.
drop function prune_authentication(interval, interval), prune_idempotent_answers(timestamptz), prune_mails(timestamptz),
    prune_certificates(timestamptz);

-- No foreign key leads from one brand to another: these could, to a global package of another brand.
alter table account_packages drop constraint account_packages_package_ref_fkey;
alter table reseller_prices drop constraint reseller_prices_package_ref_fkey;
alter table account_domains drop constraint account_domains_package_ref_fkey;

-- Deliveries are claimed under leases.
alter table webhook_deliveries add column lease_until timestamptz;

-- User reports are claimed by brand, under leases.
alter table user_reports add column due_at timestamptz not null default now();
drop index user_reports_pending;
create index user_reports_due on user_reports (brand_ref, due_at, ref) where finished_at is null and failed_at is null;

-- Domains are an outbox for the registrar. What waits on the queue of jobs marks its domains as due (see RECONCILE).
alter table account_domains add column due_at timestamptz, add column attempts integer not null default 0;
create index account_domains_to_reconcile on account_domains (brand_ref, due_at, ref) where due_at is not null;

-- Triggers, their functions and indexes with names of the former vocabulary; no release refers to them by name.
alter trigger tell_of_site on sites rename to notify_site_changed;
alter function tell_of_site rename to notify_site_changed;
alter trigger tell_of_domain on site_domains rename to notify_domain_changed;
alter function tell_of_domain rename to notify_domain_changed;
alter trigger tell_of_user on users rename to notify_user_changed;
alter function tell_of_user rename to notify_user_changed;
alter trigger tell_of_packages on account_packages rename to notify_packages_assigned;
alter function tell_of_packages rename to notify_packages_assigned;
alter trigger tell_of_certificate on certificate_bindings rename to notify_certificate_changed;
alter function tell_of_certificate rename to notify_certificate_changed;
alter trigger tell_webhook_workers_of_changes on webhook_subscriptions rename to notify_subscription_changed;
alter trigger tell_webhook_workers_of_deletions on webhook_subscriptions rename to notify_subscription_deleted;
alter function tell_webhook_workers rename to notify_subscription_changed;
alter index users_there rename to users_not_deleted;
alter index sites_there rename to sites_not_deleted;
alter index webhook_subscriptions_to_tell rename to webhook_subscriptions_active;

-- Branding. The pictures are data URLs; their hashes are read without them.
alter table brands
    add column logo text, add column favicon text, add column accent_colour text, add column support_email text,
    add column support_url text, add column privacy_url text, add column terms_url text,
    add column logo_hash text generated always as (md5(logo)) stored,
    add column favicon_hash text generated always as (md5(favicon)) stored,
    add column logo_type text generated always as (substring(logo from '^data:([^;]*);')) stored;
alter table brands
    add column external_payment_url text, add column external_subscription_url text,
    add column external_payment_cancellation_url text;

-- Media.
alter table users add column storage_bytes bigint not null default 0;
create table media (
    brand_ref  bigint not null,
    ref        bigint generated by default as identity,
    site_ref   bigint not null,
    user_ref   bigint not null,
    name       text not null,
    alt        text not null,
    mime_type  text not null,
    width      integer not null,
    height     integer not null,
    frames     integer not null,
    bytes      bigint not null,
    focal_x    double precision not null default 0.5 check (focal_x between 0 and 1),
    focal_y    double precision not null default 0.5 check (focal_y between 0 and 1),
    digest     text not null,
    compress   boolean not null,
    object_key text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    stage      integer not null default 0 check (stage between 0 and 2),
    due_at     timestamptz,
    attempts   integer not null default 0,
    last_error text,
    primary key (brand_ref, ref),
    foreign key (brand_ref, site_ref) references sites (brand_ref, ref) on delete cascade
);
create index media_of_site on media (brand_ref, site_ref, ref);
create index media_due on media (stage, brand_ref, due_at, ref) where due_at is not null;
alter table media enable row level security;
create policy one_brand on media using (brand_ref = current_brand());
grant select, insert, update, delete on media to sitewright_service;

create table media_variants (
    brand_ref  bigint not null,
    media_ref  bigint not null,
    name       text not null,
    site_ref   bigint not null,
    format     text not null check (format in ('webp', 'jpg', 'png', 'avif', 'svg')),
    width      integer not null,
    height     integer not null,
    animated   boolean not null,
    bytes      bigint not null,
    object_key text not null,
    created_at timestamptz not null,
    primary key (brand_ref, media_ref, name),
    foreign key (brand_ref, media_ref) references media (brand_ref, ref) on delete cascade
);
create index media_variants_by_name on media_variants (brand_ref, site_ref, name);
alter table media_variants enable row level security;
alter table media_variants force row level security;
create policy one_brand on media_variants using (brand_ref = current_brand());
create policy backup on media_variants for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on media_variants to sitewright_service;

create table media_objects (
    brand_ref    bigint not null,
    key          text not null,
    site_ref     bigint not null,
    store        text not null check (store in ('postgresql', 's3')),
    delete_after timestamptz,
    other_store  text check (other_store in ('postgresql', 's3')),
    primary key (brand_ref, key)
);
create index media_objects_of_site on media_objects (brand_ref, site_ref);
create index media_objects_to_delete on media_objects (delete_after) where delete_after is not null;
alter table media_objects enable row level security;
create policy one_brand on media_objects using (brand_ref = current_brand());
grant select, insert, update, delete on media_objects to sitewright_service;

create table media_chunks (
    brand_ref  bigint not null,
    object_key text not null,
    number     integer not null,
    body       bytea not null,
    primary key (brand_ref, object_key, number),
    foreign key (brand_ref, object_key) references media_objects (brand_ref, key) on delete cascade
);
alter table media_chunks alter column body set storage external;
alter table media_chunks enable row level security;
alter table media_chunks force row level security;
create policy one_brand on media_chunks using (brand_ref = current_brand());
create policy backup on media_chunks for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on media_chunks to sitewright_service;

-- The account holder's own pages: brand settings, sessions by browser, a new e-mail address, requests for deletion.
alter table brands
    add column redirect_url text,
    add column self_service_deletion text not null default 'off' check (self_service_deletion in ('off', 'request'));
alter table users add column deletion_requested_at timestamptz;
alter table sessions add column user_agent text not null default '';
alter table one_time_tokens drop constraint one_time_tokens_kind_check,
    add constraint one_time_tokens_kind_check
        check (kind in ('login', 'reset', 'verification', 'profileEmail', 'emailChange'));

-- A copy of all data of one account holder is made like a report.
alter table user_reports add column user_ref bigint;
create index user_reports_of_user on user_reports (brand_ref, user_ref, ref) where user_ref is not null;

-- Visitors' messages are read and answered on the account pages. Those from before were read as mails: the default, which is
-- not kept, marks them as read without writing each row.
alter table contact_messages add column read_at timestamptz default now();
alter table contact_messages alter column read_at drop default;
create index contact_messages_unread on contact_messages (brand_ref, site_ref, ref) where read_at is null;
grant update on contact_messages to sitewright_service;
create table contact_replies (
    brand_ref   bigint not null,
    message_ref bigint not null,
    ref         bigint generated by default as identity,
    text        text not null,
    at          timestamptz not null,
    primary key (brand_ref, message_ref, ref),
    foreign key (brand_ref, message_ref) references contact_messages (brand_ref, ref) on delete cascade
);
alter table contact_replies enable row level security;
alter table contact_replies force row level security;
create policy one_brand on contact_replies using (brand_ref = current_brand());
create policy backup on contact_replies for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on contact_replies to sitewright_service;

-- What the edge servers counted: how often each page of a site was seen on a day, and which hosts led to it.
create table site_visits (
    brand_ref bigint not null,
    site_ref  bigint not null,
    day       date not null,
    kind      text not null check (kind in ('page', 'referrer')),
    name      text not null,
    views     bigint not null,
    visits    bigint not null,
    primary key (brand_ref, site_ref, day, kind, name),
    foreign key (brand_ref, site_ref) references sites (brand_ref, ref) on delete cascade
);
create index site_visits_by_age on site_visits using brin (day);
alter table site_visits enable row level security;
create policy one_brand on site_visits using (brand_ref = current_brand());
grant select, insert, update, delete on site_visits to sitewright_service;

-- Redirects from former addresses of pages.
create table site_redirects (
    brand_ref    bigint not null,
    ref          bigint generated by default as identity,
    site_ref     bigint not null,
    from_path    text not null,
    page_ref     bigint,
    url          text,
    is_automatic boolean not null,
    created_at   timestamptz not null,
    primary key (brand_ref, ref),
    foreign key (brand_ref, site_ref) references sites (brand_ref, ref) on delete cascade,
    check ((page_ref is null) <> (url is null))
);
create unique index site_redirects_by_path on site_redirects (brand_ref, site_ref, from_path);
alter table site_redirects enable row level security;
alter table site_redirects force row level security;
create policy one_brand on site_redirects using (brand_ref = current_brand());
create policy backup on site_redirects for select to sitewright_backup using (owner_may_read_all());
grant select, insert, update, delete on site_redirects to sitewright_service;

-- Changes of content that can be undone.
create table content_changes (
    brand_ref bigint not null,
    site_ref  bigint not null,
    number    bigint not null,
    change_id text not null,
    author    text not null,
    session   text not null,
    made_at   timestamptz not null,
    kind      text not null,
    label     text not null,
    scope     text not null,
    before    bytea,
    after     bytea,
    target    bigint,
    undone_by bigint,
    primary key (brand_ref, site_ref, number),
    foreign key (brand_ref, site_ref) references sites (brand_ref, ref) on delete cascade
);
create unique index content_changes_by_id on content_changes (brand_ref, site_ref, change_id);
create index content_changes_to_undo on content_changes (brand_ref, site_ref, number) where before is not null;
alter table content_changes alter column before set storage external, alter column after set storage external;
alter table content_changes enable row level security;
alter table content_changes force row level security;
create policy one_brand on content_changes using (brand_ref = current_brand());
create policy backup on content_changes for select to sitewright_backup using (owner_may_read_all());
grant select, insert, update, delete on content_changes to sitewright_service;

-- Versions keep their content.
alter table site_versions add column author text, add column pages integer, add column content bytea;
alter table site_versions alter column content set storage external;

-- Preview links.
create table preview_links (
    brand_ref  bigint not null,
    ref        bigint generated by default as identity,
    site_ref   bigint not null,
    digest     bytea not null,
    author     text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (brand_ref, ref),
    foreign key (brand_ref, site_ref) references sites (brand_ref, ref) on delete cascade
);
create unique index preview_links_by_digest on preview_links (brand_ref, digest);
create index preview_links_of_site on preview_links (brand_ref, site_ref, ref);
alter table preview_links enable row level security;
alter table preview_links force row level security;
create policy one_brand on preview_links using (brand_ref = current_brand());
create policy backup on preview_links for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on preview_links to sitewright_service;

-- The words by which users are found (accounts/search). `source`: 0 for the user's own names, a site's ref for its domains, an
-- account domain's ref with a minus for itself. `block`: users by thousands in the order of their refs; a search reads one block
-- after another, so that a word of many users costs no more than one of few. Anonymized users have no terms.
create table search_terms (
    brand_ref bigint not null,
    block     bigint not null generated always as (user_ref >> 13) stored,
    term      text collate "C" not null,
    user_ref  bigint not null,
    source    bigint not null,
    primary key (brand_ref, block, term, user_ref, source)
);
create index search_terms_of_user on search_terms (brand_ref, user_ref);
alter table search_terms enable row level security;
alter table search_terms force row level security;
create policy one_brand on search_terms using (brand_ref = current_brand());
create policy backup on search_terms for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on search_terms to sitewright_service;

-- The words by which a reseller is found, and with it its users: renaming a reseller writes a few rows.
create table reseller_search_terms (
    brand_ref    bigint not null,
    term         text collate "C" not null,
    reseller_ref bigint not null,
    primary key (brand_ref, term, reseller_ref)
);
create index reseller_search_terms_of_reseller on reseller_search_terms (brand_ref, reseller_ref);
alter table reseller_search_terms enable row level security;
alter table reseller_search_terms force row level security;
create policy one_brand on reseller_search_terms using (brand_ref = current_brand());
create policy backup on reseller_search_terms for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on reseller_search_terms to sitewright_service;

-- Brands whose terms are being rebuilt: those of users up to `after_ref` are done.
create table search_rebuilds (
    brand_ref bigint primary key,
    after_ref bigint not null default 0
);
insert into search_rebuilds (brand_ref) select brand_ref from brands; -- the worker adds the terms of existing users
alter table search_rebuilds enable row level security;
create policy one_brand on search_rebuilds using (brand_ref = current_brand());
grant select, update, delete on search_rebuilds to sitewright_service;

-- Figures of brands by day. Those of before are counted by the worker, by brand.
create table daily_figures (
    brand_ref    bigint not null references brands,
    day          date not null,
    figure       text not null,
    package_ref  bigint not null default 0,
    currency_ref bigint not null default 0,
    months       integer not null default 0,
    value        numeric not null,
    primary key (brand_ref, day, figure, package_ref, currency_ref, months)
);
alter table daily_figures enable row level security;
create policy one_brand on daily_figures using (brand_ref = current_brand());
grant select on daily_figures to sitewright_service;

create table figure_changes (
    brand_ref    bigint not null,
    ref          bigint generated by default as identity,
    day          date not null,
    figure       text not null,
    package_ref  bigint not null default 0,
    currency_ref bigint not null default 0,
    months       integer not null default 0,
    value        numeric not null,
    primary key (brand_ref, ref)
);
alter table figure_changes enable row level security;
create policy one_brand on figure_changes using (brand_ref = current_brand());
grant select, insert on figure_changes to sitewright_service;

create table figure_rebuilds (
    brand_ref bigint primary key references brands,
    is_first  boolean not null
);
alter table figure_rebuilds enable row level security;
create policy one_brand on figure_rebuilds using (brand_ref = current_brand());
grant select, delete on figure_rebuilds to sitewright_service;
insert into figure_rebuilds (brand_ref, is_first) select brand_ref, true from brands;

-- Roles of brand staff, their second factor, sessions of the console, and invitations.
alter table api_credentials drop constraint api_credentials_role_check,
    add constraint api_credentials_role_check check (role in ('brand-admin', 'reseller', 'support', 'viewer'));
alter table operators drop constraint operators_role_check,
    add constraint operators_role_check check (role in ('system-owner', 'brand-admin', 'support', 'viewer')),
    alter column ref set generated by default,
    add column name text, add column email text, add column language_code text, add column second_factor bytea,
    add column second_factor_at timestamptz, add column last_code bigint, add column wrong_codes integer not null default 0,
    add column wrong_code_at timestamptz, add column recovery_codes text[] not null default '{}';
create index operators_of_brand on operators (brand_ref, ref) where revoked_at is null;
grant update (role, language_code, second_factor, second_factor_at, last_code, wrong_codes, wrong_code_at,
    recovery_codes) on operators to sitewright_service;
create table console_sessions (
    brand_ref        bigint,
    ref              bigint generated by default as identity primary key,
    digest           bytea not null,
    operator_ref     bigint not null,
    awaits_code      boolean not null,
    chosen_brand_ref bigint,
    created_at       timestamptz not null,
    seen_at          timestamptz not null,
    expires_at       timestamptz not null,
    user_agent       text not null
);
create unique index console_sessions_by_digest on console_sessions (digest);
create index console_sessions_of_operator on console_sessions (operator_ref, ref);
alter table console_sessions enable row level security;
alter table console_sessions force row level security;
create policy one_brand on console_sessions using (brand_ref is not distinct from current_brand());
create policy backup on console_sessions for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on console_sessions to sitewright_service;
grant update (seen_at, chosen_brand_ref) on console_sessions to sitewright_service;

create table operator_invitations (
    brand_ref  bigint not null references brands,
    ref        bigint generated by default as identity,
    digest     bytea not null,
    name       text not null,
    email      text not null,
    role       text not null check (role in ('brand-admin', 'support', 'viewer')),
    created_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (brand_ref, ref)
);
create unique index operator_invitations_by_digest on operator_invitations (brand_ref, digest);
alter table operator_invitations enable row level security;
alter table operator_invitations force row level security;
create policy one_brand on operator_invitations using (brand_ref = current_brand());
create policy backup on operator_invitations for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on operator_invitations to sitewright_service;

-- Operators who are logged in as an account holder.
alter table sessions add column operator_ref bigint, add column console_session_ref bigint,
    add check ((operator_ref is null) = (console_session_ref is null));
create index sessions_of_operators on sessions (expires_at) where operator_ref is not null;

-- When credentials and operators were last used; the settings of a brand are changed by its staff, too.
alter table api_credentials alter column ref set generated by default, add column last_used_at timestamptz;
alter table operators add column last_used_at timestamptz;
grant update (last_used_at) on operators to sitewright_service;
grant update (name, time_zone, activation_url, help_url, editor_url, redirect_url, contact, mail_sender, allowed_link_hosts,
    reserved_names, allowed_reserved_names, consistent_types, upsert_global_values, logo, favicon, accent_colour,
    support_email, support_url, privacy_url, terms_url, external_payment_url, external_subscription_url,
    external_payment_cancellation_url, self_service_deletion) on brands to sitewright_service;
grant insert, delete on brand_languages to sitewright_service;

-- Running processes.
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

-- Lists of the console: who requested a report.
alter table user_reports add column requested_by text;

-- Domain health
-- -------------

-- The last health check of each mapped host and of account domains, and when the next one of a host is due. `since` is when the
-- host was mapped, which determines how often it is checked. `state` is that of the last result that was certain, and
-- `failing_check` the first check that failed then; `findings` are the results of the single checks, without texts. `mailed_at`: the
-- account holder was mailed about the first failure.
create table domain_checks (
    brand_ref          bigint not null references brands,
    ref                bigint generated by default as identity,
    domain_ref         bigint,
    account_domain_ref bigint,
    since              timestamptz not null,
    status             text check (status in ('ok', 'attention', 'failing', 'unknown')),
    state              text check (state in ('healthy', 'failing')),
    failing_check      text,
    findings           json not null default '[]',
    started_at         timestamptz,
    checked_at         timestamptz,
    mailed_at          timestamptz,
    due_at             timestamptz,
    attempts           integer not null default 0,
    last_error         text,
    primary key (brand_ref, ref),
    unique (brand_ref, domain_ref),
    unique (brand_ref, account_domain_ref),
    foreign key (brand_ref, domain_ref) references site_domains (brand_ref, ref) on delete cascade,
    foreign key (brand_ref, account_domain_ref) references account_domains (brand_ref, ref),
    check ((domain_ref is null) <> (account_domain_ref is null)),
    check ((failing_check is not null) = (state is not distinct from 'failing'))
);
create index domain_checks_due on domain_checks (brand_ref, due_at, ref) where due_at is not null;
create index domain_checks_by_health on domain_checks
    (brand_ref, (case when state = 'failing' then state else status end), domain_ref) where domain_ref is not null;
alter table domain_checks enable row level security;
create policy one_brand on domain_checks using (brand_ref = current_brand());
grant select, insert, update, delete on domain_checks to sitewright_service;

-- Hosts that are mapped already are checked in the course of a day.
insert into domain_checks (brand_ref, domain_ref, since, due_at)
select brand_ref, ref, created_at, now() + random() * interval '1 day' from site_domains;

-- DNS: zones and their records
-- ----------------------------

-- Zones of account domains at a DNS provider. `provider` is null until the worker has chosen one. `revision` counts the changes of
-- the zone's records; `out_of_sync_since`: since when the provider lacks one; `synced_at`: when it last had all of them.
-- `waits_since`: a plan that changes much of the zone waits for an operator. `leased_until`: one process at a time sends changes.
-- `template`: the digest of the settings that the service-managed records follow; `holder_slots`: the parts of the template that the
-- account holder has taken over. `removed_at`: the registrar has released the domain, and the zone is to be removed.
create table dns_zones (
    brand_ref          bigint not null,
    account_domain_ref bigint not null,
    name               text not null,
    provider           text check (provider in ('powerdns', 'rfc2136')),
    template           text not null default '',
    holder_slots       text[] not null default '{}',
    revision           bigint not null default 0,
    created_at         timestamptz not null,
    synced_at          timestamptz,
    checked_at         timestamptz,
    out_of_sync_since  timestamptz,
    waits_since        timestamptz,
    leased_until       timestamptz,
    removed_at         timestamptz,
    ds                 text[] not null default '{}',
    dkim_selector      text,
    dkim_public_key    text,
    sealed_dkim_key    bytea,
    due_at             timestamptz,
    attempts           integer not null default 0,
    last_error         text,
    failed_at          timestamptz,
    primary key (brand_ref, account_domain_ref),
    foreign key (brand_ref, account_domain_ref) references account_domains (brand_ref, ref)
);
create index dns_zones_by_name on dns_zones (name);
create index dns_zones_due on dns_zones (brand_ref, due_at, account_domain_ref) where due_at is not null;
create index dns_zones_out_of_sync on dns_zones (out_of_sync_since) where out_of_sync_since is not null;
alter table dns_zones enable row level security;
create policy one_brand on dns_zones using (brand_ref = current_brand());
grant select, insert, update, delete on dns_zones to sitewright_service;

-- Records of zones. Those of the owner `challenge` belong to a certificate order. `slot`: the part of the template that a record comes
-- from. A removed record stays until the provider no longer has it.
create table dns_records (
    brand_ref          bigint not null,
    ref                bigint generated by default as identity,
    account_domain_ref bigint not null,
    type               text not null check (type in ('A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS')),
    name               text not null check (length(name) between 1 and 253),
    value              text not null,
    ttl                integer not null check (ttl > 0),
    priority           integer,
    owner              text not null check (owner in ('service', 'holder', 'challenge')),
    slot               text,
    updated_at         timestamptz not null,
    removed_at         timestamptz,
    primary key (brand_ref, ref),
    foreign key (brand_ref, account_domain_ref) references dns_zones (brand_ref, account_domain_ref) on delete cascade
);
create index dns_records_of_zone on dns_records (brand_ref, account_domain_ref, ref);
alter table dns_records enable row level security;
alter table dns_records force row level security;
create policy one_brand on dns_records using (brand_ref = current_brand());
create policy backup on dns_records for select to sitewright_backup using (owner_may_read_all());
grant select, insert, update, delete on dns_records to sitewright_service;

-- Charges of registrations that failed are voided; the DS records of a name; a brand's own DNS provider.
alter table charges add column voided_at timestamptz;
grant update (voided_at) on charges to sitewright_service;
alter table registered_domains add column ds text[] not null default '{}';
alter table brands add column dns_provider text check (dns_provider in ('none', 'powerdns', 'rfc2136'));
grant update (dns_provider) on brands to sitewright_service;

-- Automatic certificates
-- ----------------------

alter table certificates add column source text not null default 'uploaded' check (source in ('uploaded', 'automatic'));

-- Accounts at certificate authorities, by the address of their directory; private keys sealed. `url` is null until the account
-- is registered. `unavailable_since`: the authority does not respond. `clock_skew_seconds`: how far this service's clock is ahead.
create table acme_accounts (
    directory          text primary key,
    sealed_key         bytea not null,
    url                text,
    unavailable_since  timestamptz,
    clock_skew_seconds bigint not null default 0,
    created_at         timestamptz not null
);
grant select, insert, update on acme_accounts to sitewright_service;

-- One certificate for a group of host names: a name and its `www`, or a zone and everything directly below it. It is due at
-- `due_at` for its order, renewal, or a look at its renewal window; null: nothing to do until the hosts change. `order_*` is
-- the order in progress, with its sealed key, so that another worker can resume it. `names` to `renew_at` describe the certificate
-- that is served; brand 0 stands for the service's own host names.
create table automatic_certificates (
    brand_ref        bigint not null,
    ref              bigint generated by default as identity,
    name             text not null,
    is_wildcard      boolean not null,
    due_at           timestamptz,
    attempts         integer not null default 0,
    last_error       text,
    reason_code      text,
    reason_detail    text,
    failures         integer not null default 0,
    failing_since    timestamptz,
    order_url        text,
    order_directory  text,
    order_names      text[],
    sealed_order_key bytea,
    ordered_at       timestamptz,
    certificate_ref  bigint,
    directory        text,
    certificate_id   text,
    names            text[] not null default '{}',
    not_before       timestamptz,
    not_after        timestamptz,
    window_start     timestamptz,
    window_end       timestamptz,
    renew_at         timestamptz,
    created_at       timestamptz not null,
    primary key (brand_ref, ref),
    foreign key (brand_ref, certificate_ref) references certificates (brand_ref, ref) on delete set null (certificate_ref)
);
create unique index automatic_certificates_by_name on automatic_certificates (brand_ref, name);
create index automatic_certificates_due on automatic_certificates (brand_ref, due_at, ref) where due_at is not null;
create index automatic_certificates_failing on automatic_certificates (brand_ref, ref) where reason_code is not null;
create index automatic_certificates_of_certificate on automatic_certificates (brand_ref, certificate_ref);
alter table automatic_certificates enable row level security;
create policy one_brand on automatic_certificates using (brand_ref = current_brand());
grant select, insert, update, delete on automatic_certificates to sitewright_service;

-- The mapped hosts of each group, and whether they point to this service, by the last health check.
create table automatic_certificate_hosts (
    brand_ref   bigint not null,
    domain_ref  bigint not null,
    host        text not null,
    group_name  text not null,
    points_here boolean not null,
    primary key (brand_ref, domain_ref),
    foreign key (brand_ref, domain_ref) references site_domains (brand_ref, ref) on delete cascade
);
create index automatic_certificate_hosts_of_group on automatic_certificate_hosts (brand_ref, group_name);
alter table automatic_certificate_hosts enable row level security;
alter table automatic_certificate_hosts force row level security;
create policy one_brand on automatic_certificate_hosts using (brand_ref = current_brand());
create policy backup on automatic_certificate_hosts for select to sitewright_backup using (owner_may_read_all());
grant select, insert, update, delete on automatic_certificate_hosts to sitewright_service;

-- Responses to http-01 challenges, which every edge server gives.
create table acme_challenges (
    brand_ref                 bigint not null,
    automatic_certificate_ref bigint not null,
    token                     text not null,
    host                      text not null,
    key_authorization         text not null,
    primary key (brand_ref, automatic_certificate_ref, token),
    foreign key (brand_ref, automatic_certificate_ref) references automatic_certificates (brand_ref, ref) on delete cascade
);
create index acme_challenges_by_token on acme_challenges (token);
alter table acme_challenges enable row level security;
create policy one_brand on acme_challenges using (brand_ref = current_brand());
grant select, insert, update, delete on acme_challenges to sitewright_service;

-- What counts towards the service's own limits, across brands: an order, a certificate for a registered domain, a failed
-- validation of a host. `holder` is the ref of the automatic certificate; `subject` is a hash of the name.
create table acme_usage (
    ref     bigint generated by default as identity primary key,
    kind    text not null check (kind in ('order', 'certificate', 'failure')),
    subject text not null,
    holder  bigint not null,
    at      timestamptz not null
);
create index acme_usage_by_subject on acme_usage (kind, subject, at);
create index acme_usage_by_age on acme_usage (at);
grant select, insert, delete on acme_usage to sitewright_service;

-- The certificates of the service's own host names, private keys sealed; the newest of a name is served.
create table own_certificates (
    name        text primary key,
    ref         bigint generated by default as identity unique,
    names       text[] not null,
    chain       text not null,
    sealed_key  bytea not null,
    not_before  timestamptz not null,
    not_after   timestamptz not null
);
grant select, insert, update, delete on own_certificates to sitewright_service;

-- The sequencer: events are numbered after their transactions have committed.
alter table events drop constraint events_brand_ref_fkey, add column numbered_at timestamptz;
drop index events_by_age;
create index events_by_age on events using brin (coalesce(numbered_at, at));
analyze events; -- for retention: how many are old
alter table event_sequences add column pruned bigint not null default 0;
alter table event_sequences no force row level security;
drop policy backup on event_sequences;
update event_sequences s set pruned = coalesce((select min(e.sequence) from events e where e.brand_ref = s.brand_ref) - 1, s.last);

-- Events that the sequencer has not numbered yet. Transactions insert here without waiting for each other: for that reason there is
-- no foreign key to `brands` either. `body` is without its `sequence`.
create table event_inbox (
    brand_ref bigint not null,
    ref       bigint generated always as identity,
    id        uuid not null,
    kind      text not null,
    body      json not null,
    at        timestamptz not null,
    primary key (brand_ref, ref)
);
alter table event_inbox enable row level security;
create policy one_brand on event_inbox using (brand_ref = current_brand());
grant select, insert on event_inbox to sitewright_service;

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
insert into audit_inbox (brand_ref, entry_ref) select coalesce(brand_ref, 0), ref from audit_entries;
-- Delayed hard delete.
alter table brands add column hard_delete_delay_days integer not null default 0
    check (hard_delete_delay_days between 0 and 365);
grant update (hard_delete_delay_days) on brands to sitewright_service;

-- Test brands (decision 0164): the flag is fixed when the brand is created. The brand's time is the service's time plus
-- `clock_offset`. While the clock is moved, from `clock_advancing_from` to `clock_advancing_to`, the offset grows step by step;
-- until `clock_waited_until` a call waits for the end.
alter table brands
    add column test_mode boolean not null default false,
    add column clock_offset interval not null default '0',
    add column clock_advancing_from timestamptz,
    add column clock_advancing_to timestamptz,
    add column clock_waited_until timestamptz,
    add constraint brands_clock_check check (test_mode or (clock_offset = '0' and clock_advancing_to is null));
create index brands_with_advancing_clock on brands (brand_ref) where clock_advancing_to is not null;
grant update (clock_offset, clock_advancing_from, clock_advancing_to, clock_waited_until) on brands to sitewright_service;
-- Converging account provisioning.

-- The caller's own id of an account, such as the number of a service in a billing panel, and the user that it claims.
create table provisioned_accounts (
    brand_ref   bigint not null,
    external_id text not null,
    user_ref    bigint not null,
    created_at  timestamptz not null,
    primary key (brand_ref, external_id),
    foreign key (brand_ref, user_ref) references users (brand_ref, ref)
);
create unique index provisioned_accounts_by_user on provisioned_accounts (brand_ref, user_ref);
alter table provisioned_accounts enable row level security;
alter table provisioned_accounts force row level security;
create policy one_brand on provisioned_accounts using (brand_ref = current_brand());
create policy backup on provisioned_accounts for select to sitewright_backup using (owner_may_read_all());
grant select, insert, delete on provisioned_accounts to sitewright_service;
-- The keys that the service signs documents with, one for each purpose, created at first use; private keys sealed.
create table signing_keys (
    purpose    text primary key,
    public_key text not null,
    sealed_key bytea not null,
    created_at timestamptz not null
);
grant select, insert on signing_keys to sitewright_service;

-- Sites that were hard-deleted: those that wait until `erase_after`, and the receipts of those that were erased, with what was
-- erased in numbers. Nothing personal, and no key to sites: a receipt outlives its site. `reseller_ref` is the site's, for who may
-- read it; `was_live`: whether `undelete` brings the site back online. It is an outbox: `due_at` is null once the site is erased.
create table site_erasures (
    brand_ref    bigint not null references brands,
    site_ref     bigint not null,
    reseller_ref bigint,
    requested_at timestamptz not null,
    erase_after  timestamptz not null,
    was_live     boolean not null,
    erased_at    timestamptz,
    counts       json not null default '{}',
    due_at       timestamptz,
    attempts     integer not null default 0,
    last_error   text,
    primary key (brand_ref, site_ref)
);
create index site_erasures_due on site_erasures (brand_ref, due_at, site_ref) where due_at is not null;
alter table site_erasures enable row level security;
create policy one_brand on site_erasures using (brand_ref = current_brand());
grant select, insert, update, delete on site_erasures to sitewright_service;
create index domain_checks_failing on domain_checks (brand_ref, ref) where state = 'failing';

-- (end)
