-- The key of address hashes, sealed under SECRET_KEY. It never changes: a changed one would forget every opt-out.
alter table instance add column address_key bytea;

-- One row for each address in an account, and the only one that is never deleted: it holds a keyed hash and nothing
-- else, so that an opt-out, a suppression or an erasure outlives the subscriber.
create table contacts (
  account_id uuid not null references accounts,
  id uuid not null,
  address_hash bytea not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id)
);
create unique index contacts_by_address on contacts (account_id, address_hash);

-- Never mail this contact, whatever the list.
create table suppressions (
  account_id uuid not null,
  contact_id uuid not null,
  id uuid not null,
  reason text not null,
  source text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, contact_id)
);
create unique index suppressions_by_id on suppressions (account_id, id);
create index suppressions_by_age on suppressions (account_id, created_at, id);

-- "Not on this list", or with the nil list id "on no list". It stays when the subscriber is deleted.
create table opt_outs (
  account_id uuid not null,
  contact_id uuid not null,
  list_id uuid not null,
  reason text,
  source text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, contact_id, list_id)
);
