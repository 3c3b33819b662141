-- Views that features of accounts publish to others (tests/test_table_owners.py). They run with the rights of the session that reads
-- them, so that row-level security holds. Applied again whenever this file changes; new columns go to the end of a view.

create or replace view reseller_contacts with (security_invoker = true) as
    select brand_ref, ref, display_name, login_url, reseller_support_email, reseller_help_url, deleted_at
      from resellers;

create or replace view reseller_price_list with (security_invoker = true) as
    select brand_ref, reseller_ref, ref, package_ref, currency_ref, billing_period_months, price, offer_price,
           coalesce(offer_price, price) as amount
      from reseller_prices;

-- Without the password's hash.
create or replace view account_holders with (security_invoker = true) as
    select brand_ref, ref, reseller_ref, first_name, last_name, username, email, language_code, phone_number, address1,
           address2, city, state, postcode, country, company, newsletter, currency_ref, cpf_number, cpf_company,
           metadata, created_at, last_login_at, email_verified_at, suspended_at, deleted_at, anonymised_at
      from users;

create or replace view user_totals with (security_invoker = true) as
    select brand_ref, reseller_ref, deleted, users from user_counts;

create or replace view profile_fields with (security_invoker = true) as
    select brand_ref, ref, user_ref, fields from profiles;

create or replace view held_packages with (security_invoker = true) as
    select brand_ref, ref, user_ref, package_ref, is_subscription, is_trial, billing_period_months, currency_ref, price,
           delete_on_expiry, free_of_charge, started_at, due_at, ended_at
      from account_packages;

create or replace view package_events with (security_invoker = true) as
    select brand_ref, ref, user_ref, kind, reason, from_package_ref, package_ref, account_package_ref,
           billing_period_months, at
      from lifecycle_events;

create or replace view package_charges with (security_invoker = true) as
    select brand_ref, ref, user_ref, event_ref, account_package_ref, package_ref, currency_ref, amount,
           billing_period_months, period_starts_at, period_ends_at, at
      from charges where voided_at is null;

grant select on reseller_contacts, reseller_price_list, account_holders, user_totals, profile_fields, held_packages,
    package_events, package_charges to sitewright_service;
