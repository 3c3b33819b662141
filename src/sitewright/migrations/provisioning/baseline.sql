-- Accounts that callers provision under ids of their own.

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
