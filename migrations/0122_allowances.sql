-- What accounts may send in a period. Billing writes it from the terms of their subscriptions; senders read it and never ask billing. An account
-- without a limit has no row. This row is what leases of the account are lined up by.
create table allowances (
  account_id uuid primary key,
  -- Days are days of this time zone.
  time_zone text not null,
  updated_at timestamptz(3) not null
);

-- The period that holds at a moment is the last one that began before it, so that there is no moment without one.
create table allowance_periods (
  account_id uuid not null references allowances (account_id) on delete cascade,
  -- The beginning of an hour, since usage is counted by the hour.
  period_from timestamptz(0) not null,
  period_to timestamptz(3) not null,
  -- The most mails of the period, and of a day; null is no limit.
  mails bigint check (mails >= 0),
  daily_mails bigint check (daily_mails >= 0),
  -- How many of the mails only transactional mail may use.
  transactional_reserve bigint not null check (transactional_reserve >= 0),
  primary key (account_id, period_from)
);

-- The batches that were leased of an account that has a limit. It is only an index: what is reserved is what the ledger says of the batches
-- that are still leased, and a row whose batch isn't any more means nothing.
create table allowance_grants (
  account_id uuid not null,
  source_id uuid not null,
  n bigint not null,
  -- How many contacts the batch had.
  granted int not null,
  primary key (account_id, source_id, n)
);

-- Which part of a period's mails was used up, each told once.
create table allowance_notices (
  account_id uuid not null,
  period_from timestamptz(0) not null,
  percent smallint not null,
  reached_at timestamptz(3) not null,
  primary key (account_id, period_from, percent)
);

-- It finds what goes on when there is room again.
create index campaigns_over_quota on campaigns (account_id, id) where pause_reason = 'quota_reached';
