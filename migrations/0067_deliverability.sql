-- What reports say of each source, added up by day, by third of a month (from the 1st, the 11th and the 21st on), by month and by
-- quarter, so that a page over a year reads a few rows for each address in place of one for each day.
create table dmarc_source_counts (
  account_id uuid not null,
  domain_id uuid not null,
  -- day, third, month, quarter.
  span text not null,
  -- The first day of it.
  begins date not null,
  source_ip inet not null,
  -- The newest day of it that a report told of.
  last_day date not null,
  messages bigint not null,
  aligned bigint not null,
  dkim_aligned bigint not null,
  spf_aligned bigint not null,
  quarantined bigint not null,
  rejected bigint not null,
  primary key (account_id, domain_id, span, begins, source_ip),
  foreign key (account_id, domain_id) references domains on delete cascade
);
create index dmarc_source_counts_by_day on dmarc_source_counts (last_day);

insert into dmarc_source_counts
select account_id, domain_id, s.span, s.begins, key::inet, max(day), sum(messages), sum(aligned), sum(dkim_aligned),
  sum(spf_aligned), sum(quarantined), sum(rejected)
from dmarc_daily, lateral (values
  ('day', day),
  ('third', date_trunc('month', day)::date + least(2, (extract(day from day)::int - 1) / 10) * 10),
  ('month', date_trunc('month', day)::date),
  ('quarter', date_trunc('quarter', day)::date)) as s (span, begins)
where grouping = 'source'
group by account_id, domain_id, s.span, s.begins, key::inet
order by account_id, domain_id, s.span, s.begins, key::inet;
delete from dmarc_daily where grouping = 'source';

-- DMARC reports wait apart from bounces and the like, and are read by jobs of their own.
create index inbound_items_waiting_reports on inbound_items (account_id, id)
  where state = 'waiting' and address_kind = 'dmarc_report';
create index inbound_items_waiting_others on inbound_items (account_id, id)
  where state = 'waiting' and address_kind is distinct from 'dmarc_report';
-- Those that wait already were left to a job that no longer takes them. A new database has none, and no queue yet.
do $$
begin
  if exists (select from inbound_items where state = 'waiting' and address_kind = 'dmarc_report') then
    perform graphile_worker.add_jobs(array(
      select row('read_dmarc_reports', json_build_object('account_id', account_id), null, null, 25::smallint,
                 'read_dmarc_reports ' || account_id, 10::smallint, null)::graphile_worker.job_spec
      from (select distinct account_id from inbound_items where state = 'waiting' and address_kind = 'dmarc_report') as waiting
      order by account_id));
  end if;
end
$$;

-- Alerts are listed by kind, with and without a status; and those that last are looked at again by timers, over all accounts.
create index alerts_by_kind on alerts (account_id, kind, created_at, id);
create index alerts_lasting on alerts (kind, account_id) where status <> 'closed';

-- How many reports stand behind the numbers of some days, and how many sources were looked up within one.
create index dmarc_reports_of_day on dmarc_reports (account_id, domain_id, day);
create index dmarc_sources_looked_up on dmarc_sources (account_id, looked_up_at);
