-- The days of mail_flow_days added up to weeks and months, so that 13 months are read from a twentieth of the rows. A trigger keeps them, and not
-- the job that adds to the days, because an older process runs that job too during an upgrade.
create table mail_flow_spans (
  account_id uuid not null,
  -- 'week', from Monday on, or 'month'; both are of UTC.
  span text not null,
  first_day date not null,
  flow_id int not null,
  -- So many rows of mail_flow_days are in it. It goes with the last of them.
  days int not null,
  accepted int not null,
  refused int not null,
  deferred int not null,
  hard int not null,
  soft int not null,
  block int not null,
  complained int not null,
  opened int not null,
  clicked int not null,
  primary key (account_id, span, first_day, flow_id)
) with (fillfactor = 80);

create function add_up_mail_flow_days() returns trigger language plpgsql as $$
declare
  day mail_flow_days := case tg_op when 'DELETE' then old else new end;
begin
  -- Rows of spans are changed in the order of days, so that two who add to them at once could wait for each other in a circle.
  lock table mail_flow_spans in share row exclusive mode;
  insert into mail_flow_spans as known
  select day.account_id, s.span, date_trunc(s.span, day.day::timestamp)::date, day.flow_id,
    case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end,
    coalesce(new.accepted, 0) - coalesce(old.accepted, 0), coalesce(new.refused, 0) - coalesce(old.refused, 0),
    coalesce(new.deferred, 0) - coalesce(old.deferred, 0), coalesce(new.hard, 0) - coalesce(old.hard, 0),
    coalesce(new.soft, 0) - coalesce(old.soft, 0), coalesce(new.block, 0) - coalesce(old.block, 0),
    coalesce(new.complained, 0) - coalesce(old.complained, 0), coalesce(new.opened, 0) - coalesce(old.opened, 0),
    coalesce(new.clicked, 0) - coalesce(old.clicked, 0)
  from (values ('week'), ('month')) as s (span)
  on conflict (account_id, span, first_day, flow_id) do update set
    days = known.days + excluded.days, accepted = known.accepted + excluded.accepted, refused = known.refused + excluded.refused,
    deferred = known.deferred + excluded.deferred, hard = known.hard + excluded.hard, soft = known.soft + excluded.soft,
    block = known.block + excluded.block, complained = known.complained + excluded.complained,
    opened = known.opened + excluded.opened, clicked = known.clicked + excluded.clicked;
  if tg_op = 'DELETE' then
    delete from mail_flow_spans
    where account_id = day.account_id and span in ('week', 'month') and flow_id = day.flow_id and days <= 0
      and first_day in (date_trunc('week', day.day::timestamp)::date, date_trunc('month', day.day::timestamp)::date);
  end if;
  return null;
end $$;
create trigger mail_flow_days_added_up after insert or update or delete on mail_flow_days
  for each row execute function add_up_mail_flow_days();

insert into mail_flow_spans
select account_id, span, date_trunc(span, day::timestamp)::date, flow_id, count(*), sum(accepted), sum(refused), sum(deferred),
  sum(hard), sum(soft), sum(block), sum(complained), sum(opened), sum(clicked)
from mail_flow_days cross join (values ('week'), ('month')) as s (span) group by 1, 2, 3, 4;

-- Hours are added up to days once the next day is over; these are their copies over all workers, for figures by the hour. They count for
-- nothing else, and go after a week.
create table mail_flow_past_hours (
  account_id uuid not null,
  hour timestamptz(0) not null,
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
  primary key (account_id, hour, flow_id)
) with (fillfactor = 80);
create index mail_flow_past_hours_by_hour on mail_flow_past_hours (hour);
