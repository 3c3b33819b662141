-- A profile's e-mail address gets visitors' messages only while it equals the one that was proven. Addresses from before are
-- not proven, except the account holder's own verified one.
alter table profiles add column verified_email text;
update profiles p set verified_email = u.email from users u
 where u.brand_ref = p.brand_ref and u.ref = p.user_ref and u.email_verified_at is not null
   and u.anonymised_at is null and p.fields ->> 'email' = u.email;

alter table one_time_tokens drop constraint one_time_tokens_kind_check;
alter table one_time_tokens add constraint one_time_tokens_kind_check
    check (kind in ('login', 'reset', 'verification', 'profileEmail'));
