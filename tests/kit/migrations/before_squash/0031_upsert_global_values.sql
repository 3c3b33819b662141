-- Whether a PUT of a global value that is not there creates it. The previous release does not know the column.
alter table brands add column upsert_global_values boolean not null default false;
