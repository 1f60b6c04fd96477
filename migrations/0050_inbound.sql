-- What comes back by mail and from providers: bounces, complaints, and mails that unsubscribe. Each is kept as it came, sealed, for
-- 30 days, with what was made of it. The id is a UUIDv7 of when it came.
create table inbound_items (
  account_id uuid not null,
  id uuid not null,
  -- smtp, mailbox or webhook; channel_id is the mailbox or the address that a provider posts to.
  channel text not null,
  channel_id uuid,
  provider text,
  -- MAIL FROM, which is '' for bounces; null where nobody knows.
  envelope_from text,
  -- What the address of ours that it came to names: bounce or unsubscribe, and the row of the ledger.
  address_kind text,
  source_id uuid,
  contact_id uuid,
  -- How large it was. What is kept of it may be less.
  bytes int not null,
  raw bytea not null,
  received_at timestamptz(3) not null,
  -- waiting → read | failed. `attempts` counts how often reading was begun, and is written before it begins.
  state text not null default 'waiting',
  attempts smallint not null default 0,
  leased_until timestamptz(3),
  read_at timestamptz(3),
  failure text,
  -- The weightiest of what it says, and of what was made of it; null until it is read.
  kind text,
  outcome text,
  is_matched boolean,
  primary key (account_id, id)
) partition by range (id);
create table inbound_items_default partition of inbound_items default;
-- What is sealed doesn't compress, and the samples of ANALYZE must contain no addresses.
alter table inbound_items alter column raw set storage external;
alter table inbound_items alter column envelope_from set statistics 0, alter column raw set statistics 0;
create index inbound_items_waiting on inbound_items (account_id, id) where state = 'waiting';
create index inbound_items_failed on inbound_items (account_id, id) where state = 'failed';
create index inbound_items_by_channel on inbound_items (account_id, channel, id);
create index inbound_items_by_kind on inbound_items (account_id, kind, id) where kind is not null;
create index inbound_items_by_outcome on inbound_items (account_id, outcome, id) where outcome is not null;
create index inbound_items_unmatched on inbound_items (account_id, id) where not is_matched;
-- The erasure of a person finds by it what came back.
create index inbound_items_of_contact on inbound_items (account_id, contact_id) where contact_id is not null;

-- The digests of what was stored, since a partitioned table can't say that there is one of each. Whoever missed our answer sends
-- the same again, and it is stored once.
create table inbound_digests (
  account_id uuid not null,
  digest bytea not null,
  item_id uuid not null,
  primary key (account_id, digest)
);
-- For removing those that are old.
create index inbound_digests_by_age on inbound_digests (item_id);

-- A return path has no room for the account, which is found by the source. Beside public names and the inbox of hits this is the
-- last look across accounts that an outsider can cause.
create index sources_by_id on sources (id);
