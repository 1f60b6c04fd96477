-- People who change their own address (docs/decisions/0065): the new one is theirs once they follow a link that was mailed to it.
create table email_changes (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  -- The new address as it was typed, and the form of it that is compared.
  email text not null,
  email_key text not null,
  -- A link in a mail has the token; null until the mail is written, and where the address is somebody else's.
  token_hash bytea,
  status text not null check (status in ('pending', 'used', 'ended')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  mailed_at timestamptz(3)
);
-- How many somebody has asked for in the last hour, and which one is pending.
create index email_changes_of_person on email_changes (person_id, created_at);
create unique index email_changes_pending on email_changes (person_id) where status = 'pending';
-- How many were mailed to an address in the last hour.
create index email_changes_by_address on email_changes (email_key, mailed_at);
create index email_changes_by_expiry on email_changes (expires_at);
