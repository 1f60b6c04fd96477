-- People. The address stands here as it was given; `email_key` is its lower-cased NFC form, which is compared.
create table users (
  account_id uuid not null references accounts,
  id uuid not null,
  email text not null,
  email_key text not null,
  name text not null,
  role text not null check (role in ('owner', 'member')),
  -- argon2id as a PHC string; null until the set-up link is redeemed.
  password_hash text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  last_signed_in_at timestamptz(3),
  primary key (account_id, id)
);

-- Sign-in is the one look-up that must find the account from an address, so an address belongs to one user of the whole
-- instance, and this index does not begin with the account.
create unique index users_by_email on users (email_key);
-- GET /v1/users, newest first.
create index users_by_age on users (account_id, created_at, id);

create table sessions (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  -- SHA-256 of the token in the cookie, and of the one before it, which parallel requests may still carry.
  token_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users on delete cascade
);

-- The session check of every request. The token carries the account, as an API key does.
create unique index sessions_by_token on sessions (account_id, token_hash);
create index sessions_by_previous_token on sessions (account_id, previous_hash) where previous_hash is not null;
-- A password change ends a user's other sessions, and the foreign key above needs it.
create index sessions_by_user on sessions (account_id, user_id);

-- Links that set a password, each good for one use.
create table user_links (
  account_id uuid not null references accounts,
  id uuid not null,
  -- null: whoever redeems it becomes the account's first owner.
  user_id uuid,
  purpose text not null check (purpose in ('setup', 'reset')),
  token_hash bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  primary key (account_id, id),
  foreign key (account_id, user_id) references users on delete cascade
);

create unique index user_links_by_token on user_links (account_id, token_hash);
create index user_links_by_user on user_links (account_id, user_id);

-- Failed sign-ins, shared by every process. The key is a keyed hash of an address, an IP address or both, so nothing
-- personal is stored; there is no account in it, because an unknown address has none and must count just the same.
create table guesses (
  key bytea primary key,
  -- Leaks away with time, hence no whole number.
  failures double precision not null,
  blocked_until timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- For removing those that have leaked away.
create index guesses_by_age on guesses (updated_at);
