-- DMARC aggregate reports: what other servers say about mail in the name of an account's domains. All of it is kept for 13 months.
-- Anybody may write such a report, so what is told of the reporter is only told.
create table dmarc_reports (
  account_id uuid not null references accounts,
  id uuid not null,
  domain_id uuid not null,
  -- Where the reporter found the DMARC record: the domain, one below it or one above it.
  policy_domain text not null,
  reporter text not null,
  contact text,
  report_id text not null,
  begins_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  -- The day in UTC that most of the report is about; its numbers count for that one.
  day date not null,
  policy jsonb not null,
  -- upload, mail, command.
  channel text not null,
  -- The domain of the From of the mail that brought it.
  sender_domain text,
  messages bigint not null,
  aligned bigint not null,
  records int not null,
  records_left_out int not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id),
  foreign key (account_id, domain_id) references domains on delete cascade
);
-- Reporters send the same again, and it counts once.
create unique index dmarc_reports_once on dmarc_reports (account_id, policy_domain, reporter, report_id);
create index dmarc_reports_by_age on dmarc_reports (account_id, created_at, id);
create index dmarc_reports_of_domain on dmarc_reports (account_id, domain_id, created_at, id);
create index dmarc_reports_by_day on dmarc_reports (day);

-- What the reports of a day say of a source, added up over reports.
create table dmarc_rows (
  account_id uuid not null,
  domain_id uuid not null,
  day date not null,
  source_ip inet not null,
  reporter text not null,
  -- Of signatures by the domain's organisation, with commas; '' for none, '?' where it isn't told.
  selectors text not null,
  -- none, quarantine, reject.
  disposition text not null,
  dkim_aligned boolean not null,
  spf_aligned boolean not null,
  messages bigint not null,
  primary key (account_id, domain_id, day, source_ip, reporter, selectors, disposition, dkim_aligned, spf_aligned),
  foreign key (account_id, domain_id) references domains on delete cascade
);
create index dmarc_rows_of_source on dmarc_rows (account_id, source_ip, day);
create index dmarc_rows_by_day on dmarc_rows (day);

-- The same added up for each way of looking at it, so that a page reads some thousand rows in place of a million.
create table dmarc_daily (
  account_id uuid not null,
  domain_id uuid not null,
  -- source, reporter, selector; day, whose key is ''.
  grouping text not null,
  day date not null,
  key text not null,
  messages bigint not null,
  aligned bigint not null,
  dkim_aligned bigint not null,
  spf_aligned bigint not null,
  none bigint not null,
  quarantined bigint not null,
  rejected bigint not null,
  primary key (account_id, domain_id, grouping, day, key),
  foreign key (account_id, domain_id) references domains on delete cascade
);
create index dmarc_daily_by_day on dmarc_daily (day);

-- Who is behind an address that mail came from, as the DNS says it; found out by a job.
create table dmarc_sources (
  account_id uuid not null references accounts,
  source_ip inet not null,
  -- The name of its PTR record, where that name leads back to the address.
  host text,
  -- A service known by that name, such as google_workspace.
  service text,
  -- The newest day that a report told of it.
  last_day date not null,
  first_seen_at timestamptz(3) not null,
  looked_up_at timestamptz(3),
  next_look_at timestamptz(3) not null,
  primary key (account_id, source_ip)
);
create index dmarc_sources_due on dmarc_sources (account_id, next_look_at);
create index dmarc_sources_by_day on dmarc_sources (last_day);
