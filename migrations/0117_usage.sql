-- How much mail of an account became `sent`, by UTC hour: the sum over all workers equals a recount of the ledger at any instant. Senders
-- add to it in the statement that writes outcomes, each to rows of its own, so that none waits for another. The nil worker stands for what
-- was settled by evidence, and for hours that are over for a week.
create table usage_hours (
  account_id uuid not null,
  hour timestamptz(0) not null,
  stream text not null,
  -- By whose server it left: the instance's, one of the account's own, or none (the sandbox).
  via text not null check (via in ('instance', 'own', 'sandbox')),
  worker_id uuid not null,
  sent bigint not null,
  primary key (account_id, hour, stream, via, worker_id)
) with (fillfactor = 50);
-- It finds what is to be added up, which has a worker, and what is too old, which has none.
create index usage_hours_by_worker on usage_hours (worker_id, hour);

-- What was sent before this table was there.
insert into usage_hours (account_id, hour, stream, via, worker_id, sent)
select account_id, date_bin('1 hour', changed_at, 'epoch'), stream,
       case transport_id when '00000000-0000-0000-0000-000000000000' then 'instance'
                         when '00000000-0000-0000-0000-000000000001' then 'sandbox' else 'own' end,
       '00000000-0000-0000-0000-000000000000', count(*)
from deliveries where state = 'sent' group by 1, 2, 3, 4;

-- It finds the campaigns that began in a month.
create index campaigns_by_start on campaigns (account_id, started_at, id) where started_at is not null;
