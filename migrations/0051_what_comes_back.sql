-- What is made of what comes back: reports, the soft bounces of addresses, storms of bounces, and how a suppression is taken back.

-- What each item says about each recipient, what was made of it and why. `told` is sealed: the recipient's address and the server's
-- words, which may quote it. Rows go with their items, after 30 days.
create table inbound_reports (
  account_id uuid not null,
  item_id uuid not null,
  n int not null,
  kind text not null,
  class text,
  reason text,
  status text,
  told bytea not null,
  -- The hash of that address, as contacts have it, so that the erasure of a person finds what names them.
  address_hash bytea,
  -- The row of the ledger that it was matched with, by which clue, and whose mail that was.
  matched_by text,
  source_id uuid,
  contact_id uuid,
  person_id uuid,
  domain text,
  outcome text not null,
  why text not null,
  storm_id uuid,
  received_at timestamptz(3) not null,
  primary key (account_id, item_id, n)
) partition by range (item_id);
create table inbound_reports_default partition of inbound_reports default;
-- How many mails of a domain bounced for good within an hour, and within a month.
create index inbound_reports_hard on inbound_reports (account_id, domain, received_at)
  where class = 'hard' and outcome in ('suppressed', 'held');
-- The erasure of a person finds by these what came back.
create index inbound_reports_of_person on inbound_reports (account_id, person_id) where person_id is not null;
create index inbound_reports_by_address on inbound_reports (account_id, address_hash) where address_hash is not null;
create index inbound_reports_of_storm on inbound_reports (account_id, storm_id) where storm_id is not null;

-- Hard bounces of a domain that came all at once, and are held until somebody decides: open, released or dismissed.
create table bounce_storms (
  account_id uuid not null references accounts,
  id uuid not null,
  domain text not null,
  state text not null,
  -- How many of the domain's mails bounced within the hour, of how many, and what share is usual there.
  hard bigint not null,
  mails bigint not null,
  usual_share real not null,
  held bigint not null,
  created_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  decided_at timestamptz(3),
  primary key (account_id, id)
);
create index bounce_storms_by_age on bounce_storms (account_id, created_at, id);
create index bounce_storms_of_domain on bounce_storms (account_id, domain, created_at);
create unique index bounce_storms_open on bounce_storms (account_id, domain) where state = 'open';

-- Each mail that bounced softly, by the address. `source_id` and `message_id` name the row of the ledger.
create table soft_bounces (
  account_id uuid not null,
  contact_id uuid not null,
  source_id uuid not null,
  message_id uuid not null,
  at timestamptz(3) not null,
  primary key (account_id, contact_id, source_id, message_id)
);
-- When a mail last is known to have reached an address that bounced softly: what bounced until then doesn't count.
create table reached_addresses (
  account_id uuid not null,
  contact_id uuid not null,
  at timestamptz(3) not null,
  primary key (account_id, contact_id)
);

-- Those limits that the account has changed, by name. What is missing has its default.
alter table accounts add column bounces jsonb not null default '{}';

-- The item that told of it, so that reading the item again changes nothing.
alter table source_feedback add column item_id uuid;

-- The status of each subscriber before it was suppressed, by id, and the address's domain: with both, those of one domain can be
-- taken back together. `former` is null for suppressions of before.
alter table suppressions add column former jsonb, add column domain text;
update suppressions x set domain = (
  select split_part(s.email_key, '@', -1) from subscribers s
  where s.account_id = x.account_id and s.contact_id = x.contact_id limit 1)
where source = 'delivery';
create index suppressions_of_domain on suppressions (account_id, domain, updated_at) where source = 'delivery';
