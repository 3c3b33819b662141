-- A new site claims its host name first, with the ref that the site will have: whether the name is free decides then, in
-- one statement, whether there is a site.
grant usage on sequence sites_ref_seq to sitewright_service;
