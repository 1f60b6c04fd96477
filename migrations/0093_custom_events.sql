-- What people did elsewhere, as an account's own programs report it to /v1/track (docs/decisions/0073): an order, a sign-in, a trial that began.
-- Segments ask for them, timelines show them, and automations begin by them. What they say of a person is personal data, so they stand here and
-- not in the log of events, and go with the subscriber.
create table custom_events (
  account_id uuid not null,
  subscriber_id uuid not null,
  name text not null,
  -- When it happened, as the program said; it may have told us later.
  occurred_at timestamptz(3) not null,
  id uuid not null,
  -- What the program calls this one event, so that telling it again changes nothing.
  key text,
  properties jsonb not null,
  -- When we were told. Partitions are by this, so that nothing is told into one that was dropped.
  created_at timestamptz(3) not null,
  -- "Did X in the last 30 days" is a stretch of this index.
  primary key (account_id, subscriber_id, name, occurred_at, id, created_at)
) partition by range (created_at);
create table custom_events_default partition of custom_events default;
-- A person's timeline, newest first.
create index custom_events_of_subscriber on custom_events (account_id, subscriber_id, occurred_at, id);

-- A key must be unique in all partitions, which no index of a partitioned table can promise; so keys have a table of their own.
create table custom_event_keys (
  account_id uuid not null,
  subscriber_id uuid not null,
  name text not null,
  key text not null,
  event_id uuid not null,
  occurred_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (account_id, subscriber_id, name, key)
);
create index custom_event_keys_by_age on custom_event_keys (created_at);

-- How far the log of each account has been read for its automations. Events up to this place have let people in, woken them and led them out.
create table automation_feeds (
  account_id uuid primary key references accounts,
  xid bigint not null,
  event_id uuid not null,
  -- When it was last looked at; far in the past, and what the log has dropped since is lost.
  read_at timestamptz(3) not null
);

-- Since when each running automation takes people, and which version its feed knows. What happened earlier lets nobody in.
create table automation_feed_starts (
  account_id uuid not null,
  automation_id uuid not null,
  starts_at timestamptz(3) not null,
  version int not null,
  primary key (account_id, automation_id)
);
