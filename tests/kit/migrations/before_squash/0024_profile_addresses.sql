-- A profile's e-mail address gets visitors' messages only while it equals the one that was proven. No address from before is
-- proven: messages go to the account holder's own address. Nothing is filled in here: an update of the whole table would keep
-- everybody from profiles meanwhile.
alter table profiles add column verified_email text;

alter table one_time_tokens drop constraint one_time_tokens_kind_check;
alter table one_time_tokens add constraint one_time_tokens_kind_check
    check (kind in ('login', 'reset', 'verification', 'profileEmail'));
