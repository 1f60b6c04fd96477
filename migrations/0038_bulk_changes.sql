-- One change for many subscribers, carried out by a job.
create table bulk_changes (
  account_id uuid not null references accounts,
  id uuid not null,
  status text not null,
  -- Whom it is for, by ids alone; null where the subscribers were named one by one.
  filter jsonb,
  action jsonb not null,
  -- Null until those whom it is for are written down in bulk_change_rows, which is done once, before the first is changed.
  total bigint,
  -- The last subscriber that is done with. It moves in the transaction that changes them, and whoever changes must find it
  -- where they left it: so a killed run goes on at the right place, and a second runner is turned away.
  position uuid,
  changed bigint not null default 0,
  skipped bigint not null default 0,
  failed bigint not null default 0,
  undone bigint not null default 0,
  error_code text,
  error_detail text,
  actor_kind text not null,
  actor_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  primary key (account_id, id)
);
create index bulk_changes_by_age on bulk_changes (account_id, created_at, id);
create index bulk_changes_by_status on bulk_changes (account_id, status, created_at, id);

-- Whom a bulk change is for, as it was when it began. They go 30 days after it has ended, and with them the way back.
create table bulk_change_rows (
  account_id uuid not null,
  bulk_change_id uuid not null,
  subscriber_id uuid not null,
  -- What an undo needs to know of this subscriber; null where nothing was changed, and once the subscriber is deleted.
  undo jsonb,
  primary key (account_id, bulk_change_id, subscriber_id)
);
create index bulk_change_rows_of_subscriber on bulk_change_rows (account_id, subscriber_id) where undo is not null;
-- What was known of people must not live on in the planner's statistics once it is gone.
alter table bulk_change_rows alter column undo set statistics 0;
alter table bulk_changes alter column action set statistics 0;
