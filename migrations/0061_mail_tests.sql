-- Addresses of ours that take something else than bounces and unsubscribes: DMARC reports, and the mails of mail tests.

alter table inbound_items
  -- The mail test whose address it came to.
  add column test_id uuid,
  -- The SMTP session that it came by: {ip, helo, tls}.
  add column session jsonb,
  -- Why that was made of it, where it is about no mail and so has no reports.
  add column why text;
-- How much came lately to an address that everybody can read in the DNS.
create index inbound_items_dmarc on inbound_items (account_id, id) include (bytes) where address_kind = 'dmarc_report';

-- A campaign that left by its real transport to an address of ours, and what was found when it arrived.
create table mail_tests (
  account_id uuid not null references accounts,
  id uuid not null,
  -- waiting → done | failed | expired.
  status text not null,
  -- The campaign may be gone by now; its name and subject are those of when it was sent.
  campaign_id uuid not null,
  campaign_name text not null,
  subject text not null,
  from_address text not null,
  -- The transport that it left by; null for the instance's.
  transport_id uuid,
  transport_name text not null,
  -- Hashes of what stands in this one mail and nowhere else. Whoever knows only the address can't answer in its place.
  proofs bytea[] not null,
  -- What our own checks found in the content, as the report shows it.
  checks json not null,
  -- When a server took it, and what it said.
  sent_at timestamptz(3),
  reply text,
  arrived_at timestamptz(3),
  item_id uuid,
  -- Why there is no report.
  failure text,
  -- Mail came to the address that wasn't this mail.
  has_others boolean not null default false,
  report json,
  score real,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  finished_at timestamptz(3),
  primary key (account_id, id)
);
create index mail_tests_newest on mail_tests (account_id, created_at, id);
create index mail_tests_of_campaign on mail_tests (account_id, campaign_id, created_at, id);
-- For those whose mail never came, and for removing those that are old.
create index mail_tests_waiting on mail_tests (expires_at) where status = 'waiting';
create index mail_tests_by_age on mail_tests (created_at);
alter table mail_tests alter column reply set statistics 0, alter column from_address set statistics 0;

-- From which addresses a transport's mail reaches other servers, as mail tests have seen it.
create table transport_addresses (
  account_id uuid not null references accounts,
  -- Is null for the instance's own server.
  transport_id uuid,
  address text not null,
  helo text not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  unique nulls not distinct (account_id, transport_id, address),
  foreign key (account_id, transport_id) references transports on delete cascade
);
