-- People who look after the instance, and not after one account (docs/decisions/0067). Rows come from the command line alone.
create table operators (
  person_id uuid primary key references people on delete cascade,
  created_at timestamptz(3) not null
);

-- Keys by which programs look after the instance; made at the command line alone, and stored as hashes.
create table instance_keys (
  id uuid primary key,
  name text not null,
  secret_hash bytea not null,
  hint text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create unique index instance_keys_by_secret on instance_keys (secret_hash);

-- An operator looks into an account as a viewer for a while: a membership that ends by itself, and what its owners are shown of it for good.
alter table users add column visit_until timestamptz(3),
  add constraint users_visit_check check (visit_until is null or role = 'viewer');
create table account_visits (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  person_id uuid references people on delete set null,
  reason text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index account_visits_by_age on account_visits (account_id, created_at, id);
create index account_visits_by_person on account_visits (person_id);

-- GET /v1/instance/accounts, newest first.
create index accounts_by_age on accounts (created_at, account_id);
