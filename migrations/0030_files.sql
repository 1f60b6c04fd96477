-- What a name in a public address means: a file's id, and later slugs and forms. Beside runnable it is the only table that is read
-- across accounts, because such an address names none.
create table public_names (
  kind text not null,
  name text not null,
  account_id uuid not null references accounts,
  id uuid not null,
  primary key (kind, name)
);

-- Images of mails and pages, as they were re-encoded here; never what was uploaded.
create table files (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  content_type text not null,
  bytes int not null,
  width int not null,
  height int not null,
  content bytea not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index files_by_age on files (account_id, created_at, id);
-- Images are compressed already; and uncompressed, a part of one is read without the rest.
alter table files alter column content set storage external;
alter table files alter column content set statistics 0;

-- How much an account stores, so that its quota needs no count of all its files.
create table file_totals (
  account_id uuid primary key references accounts,
  files int not null,
  bytes bigint not null
) with (fillfactor = 50);
