-- Who somebody is at a provider of single sign-on (docs/decisions/0069): its issuer, and its name of them there, which never changes.
create table person_identities (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  issuer text not null,
  subject text not null,
  -- The address that the provider named last; it is shown, and never compared.
  email text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null
);
create unique index person_identities_by_subject on person_identities (issuer, subject);
-- A person has one identity at each provider, so that nobody is joined to another's by an address.
create unique index person_identities_by_person on person_identities (person_id, issuer);

-- A sign-in that was sent on to the provider. It is bound to the browser by a cookie, good once, and for ten minutes. What else is
-- proved with it (nonce, PKCE) is made from the cookie, and stands nowhere.
create table sso_sign_ins (
  state_hash bytea primary key,
  browser_hash bytea not null,
  -- The invitation that is accepted by it; null where somebody only signs in.
  link_account_id uuid,
  link_id uuid,
  expires_at timestamptz(3) not null,
  foreign key (link_account_id, link_id) references user_links (account_id, id) on delete cascade
);
create index sso_sign_ins_by_expiry on sso_sign_ins (expires_at);
create index sso_sign_ins_by_link on sso_sign_ins (link_account_id, link_id) where link_id is not null;

-- The identity that a session was opened by; with it the session ends. Null where a password or a passkey opened it.
alter table sessions add column identity_id uuid references person_identities on delete cascade;
create index sessions_by_identity on sessions (identity_id) where identity_id is not null;

-- Whether the provider's groups made the membership: they also end it.
alter table users add column by_sso boolean not null default false;

-- Whether the command line printed the link: such a link works though passwords are switched off.
alter table user_links add column of_operator boolean not null default false;
