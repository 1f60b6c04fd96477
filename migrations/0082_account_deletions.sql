-- Accounts whose deletion was asked for (docs/decisions/0068). The row outlives its account, and is then all that is kept of it: an id and times.
create table account_deletions (
  account_id uuid primary key,
  requested_at timestamptz(3) not null,
  -- Who asked, by public id; null once the account is gone.
  requested_by text,
  due_at timestamptz(3) not null,
  -- From then on it can't be taken back.
  started_at timestamptz(3),
  deleted_at timestamptz(3),
  -- What came after the account was gone, such as a click in an old mail that had waited on a disk, is removed once more.
  swept_at timestamptz(3)
);
-- What there is to do, over all accounts.
create index account_deletions_to_do on account_deletions (due_at) where swept_at is null;
