-- IMAP mailboxes of an account, into which bounces, complaints and unsubscribes come back. They are polled by the jobs role.
create table mailboxes (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  host text not null,
  port int not null,
  -- implicit, starttls, none.
  tls text not null,
  username text not null,
  -- Sealed under SECRET_KEY for this very row: AES-256-GCM with the account and the id as additional data.
  password bytea not null,
  folder text not null,
  -- What becomes of a mail that was taken: keep, seen, delete, or move: and a folder.
  after text not null,
  is_paused boolean not null,
  -- Raised by every edit, so that whoever has a connection open knows when it is old.
  version int not null,

  -- How far the folder was read. Mails up to last_uid are done with, as long as uid_validity stays the same.
  uid_validity bigint,
  last_uid bigint not null default 0,
  -- When it was last begun anew, because the server's numbers had changed.
  restarted_at timestamptz(3),
  -- Mails that were taken, and that `after` was not done to yet.
  to_settle bigint[] not null default '{}',

  -- One process at a time has the mailbox, until leased_until at most; it writes only while leased_by is its own.
  leased_by uuid,
  leased_until timestamptz,
  next_check_at timestamptz not null default now(),

  -- What the last looks found. The account is told when is_failing changes, and not of each failure.
  last_checked_at timestamptz(3),
  failures int not null default 0,
  is_failing boolean not null default false,
  error_code text,
  error_text text,
  error_at timestamptz(3),
  count_taken bigint not null default 0,
  count_left bigint not null default 0,
  count_cut bigint not null default 0,

  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by_kind text,
  updated_by_id uuid,
  primary key (account_id, id)
);
create index mailboxes_by_age on mailboxes (account_id, created_at, id);
-- Whoever looks for work asks for what is due, over all accounts.
create index mailboxes_due on mailboxes (next_check_at) where not is_paused;
