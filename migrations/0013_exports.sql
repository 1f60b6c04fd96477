-- What was asked for, not what came out: the rows are read when the link is followed, so no copy of them lies about.
create table exports (
  account_id uuid not null references accounts,
  id uuid not null,
  list_id uuid,
  segment_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index exports_by_age on exports (account_id, created_at, id);
