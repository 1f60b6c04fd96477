-- People stand outside accounts: an address and a password, once for the whole instance. A row of `users` is a membership: this person,
-- in this account, in this role. No release has these tables yet, so no older process runs during this migration (docs/decisions/0059).
create table people (
  id uuid primary key,
  -- The address as it was given, and the form of it that is compared.
  email text not null,
  email_key text not null,
  -- argon2id as a PHC string; null until a link of an invitation is redeemed.
  password_hash text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  last_signed_in_at timestamptz(3)
);
create unique index people_by_email on people (email_key);

-- An address belonged to one user of the whole instance (users_by_email), so each user becomes a person of their own, and nobody's
-- password has to be chosen over another's. Ids of users are unique across accounts; the person takes the user's.
insert into people (id, email, email_key, password_hash, created_at, updated_at, last_signed_in_at)
select id, email, email_key, password_hash, created_at, updated_at, last_signed_in_at from users;

alter table users
  add column person_id uuid references people,
  -- Null while somebody is invited and hasn't accepted.
  add column joined_at timestamptz(3),
  drop constraint users_role_check;
update users set person_id = id, joined_at = case when password_hash is not null then created_at end,
  role = case role when 'member' then 'marketer' else role end;
alter table users
  alter column person_id set not null,
  drop column email, drop column email_key, drop column password_hash, drop column last_signed_in_at,
  add constraint users_role_check check (role in ('owner', 'admin', 'marketer', 'writer', 'viewer'));
-- A person's memberships, for every request by a session; and that nobody is in an account twice.
create unique index users_by_person on users (person_id, account_id);

-- A session is a person's, whichever of their accounts a request is about. The cookies of before name an account where those of now
-- name a person, so sessions are found by the hash of the whole cookie alone.
alter table sessions add column person_id uuid references people on delete cascade;
update sessions set person_id = user_id;
alter table sessions
  alter column person_id set not null,
  drop constraint sessions_pkey,
  drop column account_id,
  drop column user_id,
  add primary key (id);
create unique index sessions_by_token on sessions (token_hash);
create index sessions_by_previous_token on sessions (previous_hash) where previous_hash is not null;
-- A change of password ends a person's other sessions.
create index sessions_by_person on sessions (person_id);

-- True where no account's people can have seen the link: it was mailed by the instance's own server, or made at the command line.
-- Any other link sets no password of somebody who belongs to another account too.
alter table user_links add column of_instance boolean not null default false,
  -- The account's own transport that mailed it: whoever changes that may read the link. Null where none did.
  add column transport_id uuid;
