create table segments (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  -- null: over every list.
  list_id uuid,
  rules jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index segments_by_age on segments (account_id, created_at, id);
