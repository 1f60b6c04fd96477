-- What is sent to an audience: a campaign. Its id is a UUIDv7, so that a range of ids is a range of time.
create table sources (
  account_id uuid not null references accounts,
  id uuid not null,
  stream text not null,
  -- The nil id is the transport of the instance.
  transport_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- running, paused, canceled, finished, failed.
  state text not null,
  reason text,
  -- Counts launches: a source that failed may be launched again, with another revision.
  launch int not null default 1,
  -- Frozen at the launch: what is sent, and to whom. Rules of the segment as they were; null for the whole list.
  revision jsonb not null,
  list_id uuid not null,
  segment_rules jsonb,
  on_ambiguous text not null,
  launched_at timestamptz(3) not null,
  ended_at timestamptz(3),
  primary key (account_id, id)
);

-- How far planning has come. Apart from its source, so that who pauses doesn't wait for a slice to be written.
create table plans (
  account_id uuid not null,
  source_id uuid not null,
  -- Who was on the list by then.
  bound_at timestamptz(3) not null,
  -- Stretches of the list still to be planned: [{"after": [time, id], "upto": [time, id]}]; null before the first slice.
  stretches jsonb,
  -- How many subscribers may become rows; a guess until planning has ended.
  estimate bigint not null,
  recipients bigint not null default 0,
  -- Of them those that were to be sent when they were planned.
  eligible bigint not null default 0,
  ended_at timestamptz(3),
  primary key (account_id, source_id)
) with (fillfactor = 50);

-- Who has something to send: one row a running source, and the only table that is read across accounts.
create table runnable (
  account_id uuid not null,
  source_id uuid not null,
  stream text not null,
  primary key (account_id, source_id)
);

-- What a sender leases at a time. A lease holds as long as its worker has that epoch; a batch whose rows are all done
-- is deleted. Contacts stand here and not as a number in the ledger, which would need a second index there.
create table batches (
  account_id uuid not null,
  source_id uuid not null,
  n bigint not null generated always as identity,
  stream text not null,
  transport_id uuid not null,
  variant smallint not null default 0,
  not_before timestamptz(3),
  contacts uuid[] not null,
  worker_id uuid,
  epoch int,
  primary key (account_id, source_id, n)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- 500 random ids don't compress.
alter table batches alter column contacts set storage external;

-- The ledger: one row for each contact of a source. Columns that change stand in no index and in no index's predicate, so
-- that updates stay within the page (HOT); pages are half empty for them.
create table deliveries (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  subscriber_id uuid not null,
  stream text not null,
  transport_id uuid not null,
  variant smallint not null default 0,
  -- ready → inflight → sent | deferred | failed | skipped | unknown; `why` says why it is skipped or failed.
  state text not null,
  why text,
  -- Who has, or had, it on the wire.
  worker_id uuid,
  epoch int,
  attempt smallint not null default 0,
  -- The Date of the message: when it was first tried.
  dated_at timestamptz(3),
  not_before timestamptz(3),
  changed_at timestamptz(3) not null,
  code smallint,
  reply text,
  primary key (account_id, source_id, contact_id)
) partition by range (source_id);
create table deliveries_default partition of deliveries default
  with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

-- Deferred rows, and when they are due. One that a retry batch has claimed stays until its next attempt begins.
create table retries (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  due_at timestamptz(3) not null,
  claimed boolean not null default false,
  primary key (account_id, source_id, contact_id)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index retries_due on retries (account_id, source_id, due_at) where not claimed;

-- Every outcome but plain acceptance, append-only: the pages of recipients by status, and the history of a row.
create table problems (
  account_id uuid not null,
  source_id uuid not null,
  state text not null,
  contact_id uuid not null,
  attempt smallint not null,
  why text,
  code smallint,
  reply text,
  at timestamptz(3) not null,
  primary key (account_id, source_id, state, contact_id, attempt)
) partition by range (source_id);
create table problems_default partition of problems default;

-- Terminal outcomes, each counted in the transaction of the outcome by the worker that had it, in rows of its own; the
-- truth is the sum. The nil worker is planning and canceling, which a lock keeps one at a time.
create table counters (
  account_id uuid not null,
  source_id uuid not null,
  worker_id uuid not null,
  what text not null,
  count bigint not null,
  primary key (account_id, source_id, worker_id, what)
) with (fillfactor = 50);

-- How fast each worker is at a source just now.
create table rates (
  account_id uuid not null,
  source_id uuid not null,
  worker_id uuid not null,
  per_second real not null,
  measured_at timestamptz(3) not null,
  primary key (account_id, source_id, worker_id)
) with (fillfactor = 50);

-- A server's reply may quote an address: no samples of them in pg_statistic.
alter table deliveries alter column reply set statistics 0;
alter table problems alter column reply set statistics 0;
