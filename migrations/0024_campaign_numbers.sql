-- When the row was written. Null in rows from before this column. It stands last in the row and never changes, so that an
-- update logs nothing of it.
alter table deliveries add column planned_at timestamptz(3);

-- Who left a list because of a source's mail: each recipient once, for ever. It is counted by its primary key.
create table source_unsubscribes (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  at timestamptz(3) not null,
  primary key (account_id, source_id, contact_id)
);

-- The same counts as in `counters`, by the quarter of an hour in which they were counted: in every time zone of today, hours
-- and days are made of whole quarters. By a trigger, so that whatever is counted is also counted here, with no other words
-- where mail is sent: there is one row to count in for each statement, which has the outcomes of 50 to 300 messages.
create table counters_by_time (
  account_id uuid not null,
  source_id uuid not null,
  worker_id uuid not null,
  what text not null,
  at timestamptz(0) not null,
  count bigint not null,
  primary key (account_id, source_id, worker_id, what, at)
) with (fillfactor = 50);

create function count_by_time() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from counters_by_time
    where account_id = old.account_id and source_id = old.source_id and worker_id = old.worker_id and what = old.what;
  else
    insert into counters_by_time as known (account_id, source_id, worker_id, what, at, count)
    values (new.account_id, new.source_id, new.worker_id, new.what, date_bin('15 minutes', now(), 'epoch'),
            new.count - coalesce(old.count, 0))
    on conflict (account_id, source_id, worker_id, what, at) do update set count = known.count + excluded.count;
  end if;
  return null;
end $$;
create trigger counters_counted_by_time after insert or update or delete on counters
  for each row execute function count_by_time();

-- What was counted before, by the time that the ledger has; the nil worker stands for all.
insert into counters_by_time (account_id, source_id, worker_id, what, at, count)
select account_id, source_id, '00000000-0000-0000-0000-000000000000', what,
       date_bin('15 minutes', changed_at, 'epoch'), count(*)
from deliveries cross join lateral (
  select case state when 'skipped' then 'skipped.' || why else state end as what
  where state in ('sent', 'failed', 'unknown', 'skipped')
  union all
  select 'bounce.' || replace(why, '_bounce', '') where state = 'failed' and why like '%\_bounce'
) as counted
group by account_id, source_id, what, date_bin('15 minutes', changed_at, 'epoch');

-- What became of a source's mail by recipient domain, counted once it had ended; '' is every domain but the largest, and
-- those whose subscriber was gone by then.
create table source_domains (
  account_id uuid not null,
  source_id uuid not null,
  domain text not null,
  recipients bigint not null,
  sent bigint not null,
  deferred bigint not null,
  failed bigint not null,
  unknown bigint not null,
  skipped bigint not null,
  hard bigint not null,
  soft bigint not null,
  block bigint not null,
  counted_at timestamptz(3) not null,
  primary key (account_id, source_id, domain)
);
