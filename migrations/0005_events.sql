-- The event log: what happened, written in the transaction of the change. `data` holds ids, never addresses.
create table events (
  account_id uuid not null,
  id uuid not null,
  -- Of the writing transaction: pg_current_xact_id() + instance.event_offset. A reader stays below the oldest transaction
  -- still running and goes on from (xid, id), so it never passes an event that is written but not yet committed.
  xid bigint not null,
  type text not null,
  created_at timestamptz(3) not null,
  actor_kind text not null,
  actor_id text,
  data jsonb not null,
  primary key (account_id, id, created_at)
) partition by range (created_at);

-- GET /v1/events, both ways.
create index events_in_order on events (account_id, xid, id);

-- The safety net: a row whose partition isn't made yet lands here, and is moved when it is.
create table events_default partition of events default;

alter table instance
  -- Transaction numbers start over in a database restored elsewhere; 2^48 more are then added, so that events go on
  -- above the old ones, and cursors stay good.
  add column event_offset bigint not null default 0,
  -- Which run of transaction numbers the offset is for; null until it is first looked at.
  add column database_history text;
