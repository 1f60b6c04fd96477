create table lists (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  from_name text,
  from_email text,
  reply_to text,
  postal_address text,
  double_opt_in boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Set at once by a delete; the subscribers follow in batches, and nothing shows them meanwhile.
  deleted_at timestamptz(3),
  primary key (account_id, id)
);
create index lists_by_age on lists (account_id, created_at, id) where deleted_at is null;
create index lists_being_deleted on lists (account_id, id) where deleted_at is not null;

-- How many subscribers a list has, by status. Each transaction counts in a shard of its own, so that no row is hot;
-- the truth is the sum. Kept by triggers, so that no path can forget it.
create table list_counts (
  account_id uuid not null,
  list_id uuid not null,
  status text not null,
  shard smallint not null,
  count bigint not null,
  primary key (account_id, list_id, status, shard)
) with (fillfactor = 50);

-- Custom fields. Rows hold values under the slot, which is never used again, so that a field is renamed here alone.
create table fields (
  account_id uuid not null references accounts,
  id uuid not null,
  slot int not null,
  key text not null,
  name text not null,
  type text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (account_id, id)
);
create unique index fields_by_key on fields (account_id, key) where deleted_at is null;
create unique index fields_by_slot on fields (account_id, slot);

-- Tags, by the spelling first used; compared by their lower-case form.
create table tags (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  name_key text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id)
);
create unique index tags_by_name on tags (account_id, name_key collate "C");
