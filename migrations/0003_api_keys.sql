create table api_keys (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  scopes text[] not null,
  -- SHA-256 of the whole key. It has 160 random bits, so a slow hash would only slow us.
  secret_hash bytea not null,
  -- The last four characters, so that people can tell their keys apart.
  hint text not null,
  unlimited boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (account_id, id)
);

-- The key check of every request. The key itself carries the account, so this begins with it too.
create unique index api_keys_by_secret on api_keys (account_id, secret_hash);
-- GET /v1/api_keys, newest first.
create index api_keys_by_age on api_keys (account_id, created_at, id) where revoked_at is null;
