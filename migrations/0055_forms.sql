-- Sign-up forms. The e-mail address is always among the fields; a custom field stands there by its id, so that it may be renamed.
create table forms (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  list_id uuid not null,
  topic_ids uuid[] not null,
  -- `json` keeps the order of members, so that what is unchanged looks unchanged.
  fields json not null,
  double_opt_in boolean not null,
  -- The language of the form; null is the visitor's.
  locale text,
  texts json not null,
  redirect_url text,
  tags text[] not null,
  status text not null check (status in ('active', 'paused')),
  -- Grows with every change. The proof of consent names it.
  version int not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by_kind text,
  updated_by_id uuid,
  primary key (account_id, id)
);
create index forms_by_age on forms (account_id, created_at, id);
create index forms_of_list on forms (account_id, list_id, created_at, id);

-- What was sent in and isn't done yet: a job takes it out seconds later. The content is sealed; the hash lets an erasure find it.
create table form_submissions (
  account_id uuid not null,
  id uuid not null,
  form_id uuid not null,
  address_hash bytea not null,
  sealed bytea not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index form_submissions_by_age on form_submissions (created_at);
create index form_submissions_by_address on form_submissions (account_id, address_hash);

-- How often something was sent in within a window of time, for all processes together. Keys are MACs of networks and addresses, so
-- that neither can be read here. Unlogged: a crash of the server forgets some counts, and no submission waits for its WAL.
create unlogged table form_limits (
  account_id uuid not null,
  key bytea not null,
  window_start timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  used int not null,
  primary key (account_id, key, window_start)
);
create index form_limits_by_end on form_limits (ends_at);

-- Proofs of work that were used, until they would be too old anyway.
create table form_proofs (
  account_id uuid not null,
  digest bytea not null,
  expires_at timestamptz(3) not null,
  primary key (account_id, digest)
);
create index form_proofs_by_expiry on form_proofs (expires_at);
