-- Names directly below a brand's domain that customers' sites cannot have, beyond those of the service
-- (sites/domains/reserved_names.py), and those that the brand allows nevertheless.
alter table brands
    add column reserved_names         text[] not null default '{}',
    add column allowed_reserved_names text[] not null default '{}';
