-- Whether a package is in use is asked when a catalogue file removes it, by the operator and rarely, and may read the whole
-- table then. An entry of this index was written twice for every change of a package.
drop index account_packages_of_package;
