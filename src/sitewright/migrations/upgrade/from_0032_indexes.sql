-- run: outside a transaction
-- New indexes of tables that exist, built before from_0032.sql while the previous release writes; it explains them.

-- Mail is claimed by brand.
create index concurrently mails_due on mails (brand_ref, (not is_awaited), next_attempt_at, ref)
    where sent_at is null and failed_at is null;

-- The newest entries of a brand, of an object, of a person or of a request.
create index concurrently audit_entries_of_brand on audit_entries (brand_ref, at, ref);
create index concurrently audit_entries_of_subject on audit_entries (brand_ref, subject_ref, at, ref) where subject_ref is not null;
create index concurrently audit_entries_of_kind on audit_entries (brand_ref, subject, at, ref);
create index concurrently audit_entries_of_actor on audit_entries (brand_ref, actor, at, ref);
create index concurrently audit_entries_of_request on audit_entries (brand_ref, request_id) where request_id is not null;

-- Users whose due packages failed are an outbox.
create index concurrently package_sweep_failures_due on package_sweep_failures (brand_ref, retry_at, user_ref)
    where retry_at is not null;

-- The overview: what failed in a period, and certificates by their end.
create index concurrently certificates_of_brand_by_end on certificates (brand_ref, not_after);
create index concurrently mails_failed on mails (brand_ref, failed_at) where failed_at is not null;
create index concurrently webhook_deliveries_dead on webhook_deliveries (brand_ref, dead_at) where dead_at is not null;

-- Lists of the console.
create index concurrently users_suspended on users (brand_ref, ref) where suspended_at is not null;
create index concurrently users_deleted on users (brand_ref, ref) where deleted_at is not null;
create index concurrently account_packages_by_package on account_packages (brand_ref, package_ref, user_ref) where ended_at is null;
create index concurrently account_packages_trial_or_paid on account_packages (brand_ref, is_trial, user_ref)
    where ended_at is null and (is_trial or currency_ref is not null);
create index concurrently mails_of_kind on mails (brand_ref, kind, ref);
create index concurrently webhook_attempts_failed on webhook_attempts (brand_ref, ref) where outcome <> 'delivered';
create index concurrently site_domains_of_brand_by_name on site_domains (brand_ref, domain collate "C");
create index concurrently account_domains_of_brand_by_name on account_domains (brand_ref, domain collate "C");
create index concurrently account_domains_of_brand_by_end on account_domains (brand_ref, expires_at, ref);
