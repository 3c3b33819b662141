-- How often a job was begun without ending: a job that kills its worker would otherwise run for ever.
create table job_starts (
    job_id bigint primary key,
    starts integer not null default 1
);
grant select, insert, update, delete on job_starts to sitewright_service;
