-- What the first page of the dashboard shows: how an account's lists grow, the checklist of a new account, and sample data.

-- Mail to a list of made-up people goes into the sandbox, whatever the account sends by. An account has one such list at most.
alter table lists add column is_sample boolean not null default false;
create unique index lists_sample on lists (account_id) where is_sample and deleted_at is null;

-- Since when a campaign is put away: pages leave it out unless they are asked for it. It was made with the sample data where
-- `is_sample` says so; a copy of it is the user's own.
alter table campaigns
  add column archived_at timestamptz(3),
  add column is_sample boolean not null default false;

-- The checklist of the first days: put away for good, and steps that were skipped. Whoever has sent a campaign needs none.
alter table accounts
  add column checklist_dismissed boolean not null default false,
  add column checklist_skipped text[] not null default '{}';
update accounts a set checklist_dismissed = true
where exists (select from campaigns c where c.account_id = a.account_id and c.status = 'sent');

-- What was sent in the last weeks, of all campaigns together.
create index sources_by_launch on sources (account_id, launched_at) where stream = 'campaign';

-- How many began to be active on a list and how many ceased to be, by the quarter of an hour: in every time zone of today, days
-- are made of whole quarters. For each list, the sum of the one less the sum of the other is its count of the active. Each
-- transaction counts in a shard of its own, as in list_counts.
create table list_growth (
  account_id uuid not null,
  list_id uuid not null,
  at timestamptz(0) not null,
  shard smallint not null,
  gained bigint not null,
  lost bigint not null,
  primary key (account_id, list_id, at, shard)
) with (fillfactor = 50);

-- Processes of the version before go on meanwhile. Whoever adds people holds their list first and then writes here: by this order
-- nobody waits in a circle, and no change falls between the function of before and the count of what is there.
lock table subscribers in share row exclusive mode;

-- The same function as before, which now counts growth, too. A change within a statement is found by grouping and not by a join of
-- the transition tables: the plan is kept, and a join that was planned for one row would take minutes for five thousand.
create or replace function count_subscribers() returns trigger language plpgsql as $$
declare
  own int := claim_shard();
  quarter timestamptz(0) := date_bin('15 minutes', now(), 'epoch');
begin
  -- The three transition tables can't be named in one query, since each operation has only its own.
  if tg_op = 'INSERT' then
    insert into list_counts as counted (account_id, list_id, status, shard, count)
    select account_id, list_id, status, own, count(*) from added
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, list_id, status, shard) do update set count = counted.count + excluded.count;
    insert into list_growth as counted (account_id, list_id, at, shard, gained, lost)
    select account_id, list_id, quarter, own, count(*), 0 from added where status = 'active'
    group by account_id, list_id order by account_id, list_id
    on conflict (account_id, list_id, at, shard) do update set gained = counted.gained + excluded.gained;
  elsif tg_op = 'DELETE' then
    insert into list_counts as counted (account_id, list_id, status, shard, count)
    select account_id, list_id, status, own, -count(*) from removed
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, list_id, status, shard) do update set count = counted.count + excluded.count;
    insert into list_growth as counted (account_id, list_id, at, shard, gained, lost)
    select account_id, list_id, quarter, own, 0, count(*) from removed where status = 'active'
    group by account_id, list_id order by account_id, list_id
    on conflict (account_id, list_id, at, shard) do update set lost = counted.lost + excluded.lost;
  else
    insert into list_counts as counted (account_id, list_id, status, shard, count)
    select account_id, list_id, status, own, sum(n) from (
      select account_id, list_id, status, 1 as n from added
      union all
      select account_id, list_id, status, -1 from removed
    ) as change
    group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
    on conflict (account_id, list_id, status, shard) do update set count = counted.count + excluded.count;
    insert into list_growth as counted (account_id, list_id, at, shard, gained, lost)
    select account_id, list_id, quarter, own, count(*) filter (where n > 0), count(*) filter (where n < 0) from (
      select account_id, list_id, id, sum(n) as n from (
        select account_id, list_id, id, 1 as n from added where status = 'active'
        union all
        select account_id, list_id, id, -1 from removed where status = 'active'
      ) as change
      group by account_id, list_id, id having sum(n) <> 0
    ) as changed
    group by account_id, list_id order by account_id, list_id
    on conflict (account_id, list_id, at, shard)
      do update set gained = counted.gained + excluded.gained, lost = counted.lost + excluded.lost;
  end if;
  return null;
end $$;

-- What is known of the time before: when those who are active came, and when those who unsubscribed came and went.
insert into list_growth (account_id, list_id, at, shard, gained, lost)
select account_id, list_id, date_bin('15 minutes', at, 'epoch'), 0, sum(gained), sum(lost) from (
  select account_id, list_id, created_at as at, 1 as gained, 0 as lost from subscribers
  where status = 'active' or (status = 'unsubscribed' and unsubscribed_at > created_at)
  union all
  select account_id, list_id, unsubscribed_at, 0, 1 from subscribers
  where status = 'unsubscribed' and unsubscribed_at > created_at
) as known
group by 1, 2, 3;
