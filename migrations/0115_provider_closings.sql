-- Mailbox providers that take no mail from us for a while, because they said so. All senders keep to it.
create table provider_closings (
  -- The nil id where it holds for every account that leaves by the instance's server.
  account_id uuid not null,
  transport_id uuid not null,
  provider text not null,
  -- The domain in From that it holds for; '' where it holds for all.
  from_domain text not null,
  closed_at timestamptz(3) not null,
  until timestamptz(3) not null,
  -- How often in a row the provider closed again soon after it had opened.
  times int not null,
  reason text not null,
  -- What was said, without addresses.
  reply text,
  -- Whether it was said in the session, by reports that came later, or follows from refusals in a row.
  told_by text not null check (told_by in ('session', 'report', 'refusals')),
  -- The account whose mail met it, which is told.
  met_by uuid not null,
  -- How many mails have been given a time after the opening.
  placed bigint not null default 0,
  -- When a mail was first taken after it.
  taken_at timestamptz(3),
  primary key (account_id, transport_id, provider, from_domain)
);
create index provider_closings_by_end on provider_closings (until);

-- Mails of which a report says what would close a provider. Several are needed, as anybody who has a mail could forge its report.
create table provider_reports (
  account_id uuid not null,
  transport_id uuid not null,
  provider text not null,
  reason text not null,
  -- As it stands in the ledger.
  contact_id uuid not null,
  at timestamptz(3) not null,
  primary key (account_id, transport_id, provider, reason, contact_id)
);
create index provider_reports_by_time on provider_reports (at);
