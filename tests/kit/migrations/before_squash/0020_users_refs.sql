-- The ref of a new user is drawn before it is written, so that all that belongs to it can be written together with it.
grant usage on sequence users_ref_seq to sitewright_service;
