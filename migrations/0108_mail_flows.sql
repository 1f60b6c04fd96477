-- A flow is the mail that leaves by one transport, from one domain in its From, to the mailboxes of one provider. Providers judge mail by
-- flows, so that it is counted by them. The domain is '' for all beyond the first 200 of an account.
create table mail_flows (
  account_id uuid not null,
  id int not null generated always as identity,
  transport_id uuid not null,
  from_domain text not null,
  provider text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id),
  unique (account_id, transport_id, from_domain, provider)
);

-- What became of a flow's mail, in UTC hours. Senders add to it in the statement that writes outcomes, each to rows of its own, so that none
-- waits for another. The nil worker stands for what is learnt later, and 00000000-0000-0000-0000-000000000001 for opens and clicks.
-- What is refused or put off counts for the hour in which that was said; all that comes of an accepted mail, for the hour of its acceptance.
create table mail_flow_hours (
  account_id uuid not null,
  hour timestamptz(0) not null,
  flow_id int not null,
  worker_id uuid not null,
  accepted int not null default 0,
  -- Refused for good in session; these are among the bounces.
  refused int not null default 0,
  -- Attempts that a server put off, of which a mail may have several.
  deferred int not null default 0,
  hard int not null default 0,
  soft int not null default 0,
  block int not null default 0,
  complained int not null default 0,
  -- Mails that a person opened, and that a person clicked in.
  opened int not null default 0,
  clicked int not null default 0,
  primary key (account_id, hour, flow_id, worker_id)
) with (fillfactor = 50);
create index mail_flow_hours_by_hour on mail_flow_hours (hour);

-- The same of hours that are over for a week, by UTC day and over all workers.
create table mail_flow_days (
  account_id uuid not null,
  day date not null,
  flow_id int not null,
  accepted int not null default 0,
  refused int not null default 0,
  deferred int not null default 0,
  hard int not null default 0,
  soft int not null default 0,
  block int not null default 0,
  complained int not null default 0,
  opened int not null default 0,
  clicked int not null default 0,
  primary key (account_id, day, flow_id)
) with (fillfactor = 80);
create index mail_flow_days_by_day on mail_flow_days (day);

-- What a row was last sent as; null in rows from before, in the sandbox, and before the first attempt. It is written when the mail goes onto
-- the wire, so that whoever learns later what became of it knows where it counts, also when the domain has moved to another provider.
alter table deliveries add column flow_id int;
alter table delivery_errors add column flow_id int;
alter table source_feedback add column flow_id int;
-- What a message's opens count for: decided at its first hit, as its domain is, so that the counts equal a recount whatever comes later.
alter table message_engagements add column flow_id int, add column mailed_at timestamptz(3);
