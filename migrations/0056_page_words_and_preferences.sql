-- The language of an account's public pages for visitors whose own isn't there; null is English.
alter table accounts add column locale text;

-- The texts of public pages that an account has changed, by key, for each language.
create table page_words (
  account_id uuid not null references accounts,
  locale text not null,
  texts jsonb not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, locale)
);

-- Links that were mailed to a person for one thing: their data, their deletion, a change of address. Each is good for an hour.
create table preference_links (
  account_id uuid not null references accounts,
  id uuid not null,
  kind text not null check (kind in ('data', 'delete', 'address', 'new_address')),
  -- Whose link it is.
  contact_id uuid not null,
  -- To whom it was mailed, as contacts have it: for a new address that is somebody else, perhaps somebody unknown.
  to_hash bytea not null,
  -- The list whose mail it began with, for the sender; null where there was none.
  list_id uuid,
  -- The address to move to, sealed; null for other kinds.
  new_address bytea,
  created_at timestamptz(3) not null,
  used_at timestamptz(3),
  primary key (account_id, id)
);
-- How many links were asked for lately, by a person and to an address, and what an erasure has to delete.
create index preference_links_of_contact on preference_links (account_id, contact_id, created_at);
create index preference_links_to on preference_links (account_id, to_hash, created_at);
-- For removing those that are old.
create index preference_links_by_age on preference_links (created_at);
