-- Views that features of catalogue publish to others (tests/test_table_owners.py). They run with the rights of the session that reads
-- them, so that row-level security holds. Applied again whenever this file changes; new columns go to the end of a view.

create or replace view package_terms with (security_invoker = true) as
    select ref, name, product_type, content_type, trial_days, active, allow_multiple_purchase, default_currency_ref,
           capabilities, template_group_ref
      from packages;

create or replace view currency_list with (security_invoker = true) as
    select ref, alpha_code, currency_rate from currencies;

create or replace view supplier_list with (security_invoker = true) as
    select ref, name, class_name from product_suppliers;

create or replace view domain_offers with (security_invoker = true) as
    select ref, package_ref, supplier_ref, domain_suffix, frequency_months, active, available_as_free_domain,
           renewal_active
      from domain_products;

-- Which price counts is decided by catalogue/packages/pricing.py; what is charged is the offer, where there is one.
create or replace view package_price_list with (security_invoker = true) as
    select ref, package_ref, currency_ref, billing_period_months, price, offer_price,
           coalesce(offer_price, price) as amount
      from package_prices;

grant select on package_terms, currency_list, supplier_list, domain_offers, package_price_list to sitewright_service;
