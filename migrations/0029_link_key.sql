-- The key that signs the links in mail, sealed under SECRET_KEY as the key of address hashes is. It is made at the next start
-- and never rotated: a link in a mail that was sent works for ever.
alter table instance add column link_key bytea;
