-- Transactional mail, one row for each. Nothing here is readable without SECRET_KEY: who sent what to whom is sealed in
-- `email_contents`. The last byte of an id is 0, and its recipients have the same id in the ledger with their number there.
create table emails (
  account_id uuid not null,
  id uuid not null,
  -- This UUIDv7 has the time at which the mail is to leave, so that its content is kept as long after that as any other.
  content_id uuid not null,
  -- The source that sends it; null until send_at has come.
  wave_id uuid,
  send_at timestamptz(3),
  canceled_at timestamptz(3),
  recipients smallint not null,
  attachments smallint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
) partition by range (id);
create table emails_default partition of emails default;
-- These are few, and are searched for by their status.
create index emails_scheduled on emails (account_id, id) where wave_id is null and canceled_at is null;
create index emails_canceled on emails (account_id, id) where canceled_at is not null;

-- What was sent, sealed: `envelope` has addresses, subject, tags and metadata, `body` the texts and further headers.
create table email_contents (
  account_id uuid not null,
  id uuid not null,
  envelope bytea not null,
  -- null once somebody who got it was erased.
  body bytea,
  primary key (account_id, id)
) partition by range (id);
create table email_contents_default partition of email_contents default;
-- What is sealed doesn't compress.
alter table email_contents alter column envelope set storage external, alter column body set storage external;

-- Sealed too, and deleted once the mail has left.
create table email_attachments (
  account_id uuid not null,
  email_id uuid not null,
  n smallint not null,
  content bytea not null,
  primary key (account_id, email_id, n)
);
alter table email_attachments alter column content set storage external;

-- What a mail is found by: keyed digests of its recipients, of its tags and metadata, and of the words of its subject.
create table email_terms (
  account_id uuid not null,
  term uuid not null,
  email_id uuid not null,
  primary key (account_id, term, email_id)
) partition by range (email_id);
create table email_terms_default partition of email_terms default;
