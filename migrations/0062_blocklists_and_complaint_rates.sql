-- What blocklists say of the addresses and domains that mail leaves by, and complaint rates that were told to us.

-- Whether a list answers for its test entries as it should (RFC 5782 §5), for IPv4, IPv6 and domains apart. It is the same for all
-- accounts.
create table blocklist_proofs (
  zone text not null,
  kind text not null check (kind in ('ipv4', 'ipv6', 'domain')),
  -- When it last was proved; a look that got no answer leaves it.
  proved_at timestamptz(3),
  -- Whether the last answer was wrong.
  is_disproved boolean not null,
  detail text,
  checked_at timestamptz(3) not null,
  primary key (zone, kind)
);

-- What each list says of each address and domain of an account.
create table blocklist_results (
  account_id uuid not null references accounts,
  subject text not null,
  zone text not null,
  status text not null check (status in ('clear', 'listed', 'unknown')),
  detail text,
  -- Since when it is listed. Only an answer that says otherwise ends it, and no lack of one.
  listed_since timestamptz(3),
  checked_at timestamptz(3) not null,
  primary key (account_id, subject, zone)
);

-- When an account's addresses and domains were and will be looked up, and when somebody last asked for it.
create table blocklist_checks (
  account_id uuid primary key references accounts,
  checked_at timestamptz(3),
  next_check_at timestamptz(3) not null,
  asked_at timestamptz(3)
);
create index blocklist_checks_due on blocklist_checks (next_check_at);

-- The share of mails that a provider's users reported as spam on a day, as the provider's own pages tell it.
create table complaint_rates (
  account_id uuid not null references accounts,
  provider text not null,
  day date not null,
  rate double precision not null check (rate between 0 and 1),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, provider, day)
);

-- What the checklist asks: who unsubscribed last, and who complained within a month.
create index source_unsubscribes_by_time on source_unsubscribes (account_id, at);
create index inbound_reports_complaints on inbound_reports (account_id, received_at) include (domain, source_id, contact_id)
  where kind = 'complaint';
