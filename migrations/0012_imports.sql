create table imports (
  account_id uuid not null references accounts,
  id uuid not null,
  list_id uuid not null,
  status text not null,
  dry_run boolean not null,
  file_name text not null,
  file_bytes bigint not null,
  -- on_conflict, tags, consent, and how the file is read: encoding, delimiter, has_header.
  options jsonb not null,
  -- What each column of the file becomes; custom fields by their id, so that a rename in mid-run changes nothing.
  columns jsonb not null,
  -- How many records of the file are done with. It moves in the transaction that writes them, and whoever writes must
  -- find it where they left it: so a killed run goes on at the right place, and a second runner is turned away.
  position bigint not null default 0,
  -- Known once the file was read to its end, before its first row is written.
  total bigint,
  created bigint not null default 0,
  updated bigint not null default 0,
  skipped bigint not null default 0,
  failed bigint not null default 0,
  removed bigint not null default 0,
  rows_per_second real,
  warnings jsonb not null default '[]',
  error_code text,
  error_detail text,
  actor_kind text not null,
  actor_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  primary key (account_id, id)
);
create index imports_by_age on imports (account_id, created_at, id);

-- Rows that could not be imported, for the download. `cells` is what stood in the file: it goes with the retention, and
-- at once when the person is erased.
create table import_errors (
  account_id uuid not null,
  import_id uuid not null,
  row_number bigint not null,
  column_name text,
  code text not null,
  detail text not null,
  cells text[],
  address_hash bytea,
  primary key (account_id, import_id, row_number)
);
-- What people sent must not live on in the planner's statistics once it is gone.
alter table import_errors alter column cells set statistics 0, alter column detail set statistics 0;

-- A dry run writes nothing else, and must still know which addresses it has met before. Emptied at its end.
create unlogged table import_dry_rows (
  account_id uuid not null,
  import_id uuid not null,
  address_hash bytea not null,
  primary key (account_id, import_id, address_hash)
);
