-- Second factors of people (docs/decisions/0062): authenticator apps and passkeys. They belong to a person, as the password does.
create table factors (
  person_id uuid not null references people on delete cascade,
  id uuid not null,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  -- An app: the secret, sealed, and the newest step whose code was taken, since none is taken twice (RFC 6238 §5.2).
  secret bytea,
  last_step bigint not null default -1,
  -- A passkey: what its credential is called, the key that verifies it, and how often it says that it was used.
  credential_id bytea,
  public_key bytea,
  counter bigint not null default 0,
  transports text[] not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  -- Null while somebody sets an app up and hasn't given a first code.
  activated_at timestamptz(3),
  primary key (person_id, id),
  check (case kind when 'totp' then secret is not null else credential_id is not null and public_key is not null end)
);
create unique index factors_by_credential on factors (credential_id) where credential_id is not null;

-- Codes for whoever has lost their factors, each good once. A hash of each is kept: they have 80 random bits.
create table recovery_codes (
  person_id uuid not null references people on delete cascade,
  code_hash bytea not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3),
  primary key (person_id, code_hash)
);

-- Whoever has given the right password and owes a factor: a token for ten minutes, which ends after five wrong ones.
create table pending_sign_ins (
  token_hash bytea primary key,
  person_id uuid not null references people on delete cascade,
  attempts smallint not null default 0,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index pending_sign_ins_by_person on pending_sign_ins (person_id);
create index pending_sign_ins_by_expiry on pending_sign_ins (expires_at);

-- What a passkey is asked to sign, once. It is bound to what it was asked for, and to whom where somebody is known.
create table passkey_challenges (
  challenge text primary key,
  purpose text not null check (purpose in ('add', 'sign_in', 'second_factor', 'confirm')),
  person_id uuid references people on delete cascade,
  -- The session or the token of the sign-in that it was asked for with; null for whoever signs in by a passkey alone.
  bound_to bytea,
  expires_at timestamptz(3) not null
);
create index passkey_challenges_by_person on passkey_challenges (person_id) where person_id is not null;
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

-- When the person last proved who they are: by signing in, or by confirming.
alter table sessions add column confirmed_at timestamptz(3);
