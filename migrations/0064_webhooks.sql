-- The addresses that an account has its events posted to.
create table webhooks (
  account_id uuid not null references accounts,
  id uuid not null,
  url text not null,
  -- Types of event, each whole, or the beginning of several such as email.*, or * for all.
  events text[] not null,
  description text not null,
  -- email: the address of the person is added to the body when it is posted. It is stored nowhere.
  include text[] not null,
  ordered boolean not null,
  batch_engagement boolean not null,
  is_enabled boolean not null,
  -- Why it is disabled: by_user, gone (410), failing.
  disabled_reason text,
  disabled_at timestamptz(3),
  -- Sealed under SECRET_KEY for this very row. The one before is good for some time after a rotation.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz(3),
  -- Raised by every edit, so that whoever delivers knows when what it has is old.
  version int not null,

  -- Everything in the log up to this place is delivered, or has a row in webhook_deliveries.
  xid bigint not null,
  event_id uuid not null,
  -- The first failure after which nothing was delivered; null where the last try went well.
  failing_since timestamptz(3),
  delivered_at timestamptz(3),

  -- A replay goes from its own place up to replay_until; null where none runs.
  replay_xid bigint,
  replay_event_id uuid,
  replay_until_xid bigint,
  -- What is older than this isn't replayed.
  replay_since timestamptz(3),
  replay_until timestamptz(3),
  replay_types text[],
  replay_started_at timestamptz(3),
  replay_count int,

  -- One process at a time delivers to it, until leased_until at most; it writes only while leased_by is its own.
  leased_by uuid,
  leased_until timestamptz,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by_kind text,
  updated_by_id uuid,
  primary key (account_id, id)
);
create index webhooks_by_age on webhooks (account_id, created_at, id);
-- Whoever looks for work asks for what nobody has, over all accounts.
create index webhooks_to_lease on webhooks (leased_until) where is_enabled;

-- What became of each event, for each endpoint. Rows that wait are tried again.
create table webhook_deliveries (
  account_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  -- What was posted: one event, or several in a batch. A test has none.
  event_ids uuid[] not null,
  -- By this the receiver knows a message that comes again; it is the same for every try.
  message_id text not null,
  type text not null,
  -- log, replay, test.
  origin text not null,
  -- waiting, delivered, failed.
  state text not null,
  -- One object for each try: {at, ms, status, failure}.
  attempts jsonb not null,
  next_attempt_at timestamptz(3),
  -- The first 4 KB of the last answer.
  answer bytea,
  primary key (account_id, id)
) partition by range (id);
create table webhook_deliveries_default partition of webhook_deliveries default;
-- The two serve lists by every filter: the newest of each state are merged. What is asked for stands ahead of webhook_id, so that a table
-- without statistics is never read by the other index.
create index webhook_deliveries_by_state on webhook_deliveries (account_id, state, webhook_id, id);
create index webhook_deliveries_by_type on webhook_deliveries (account_id, (type || ' ' || state), webhook_id, id);
create index webhook_deliveries_waiting on webhook_deliveries (account_id, webhook_id, next_attempt_at) where state = 'waiting';
