-- A sender looks for work by transport: a slow one must not keep others waiting.
alter table runnable add column transport_id uuid not null default '00000000-0000-0000-0000-000000000000';
alter table runnable alter column transport_id drop default;

-- Up to when a transport's rate is given away. All senders draw from its one row, a quarter of a second at a time.
create table transport_rates (
  account_id uuid not null,
  transport_id uuid not null,
  drawn_until timestamptz not null,
  primary key (account_id, transport_id)
) with (fillfactor = 50);

-- Types of events that are only written where somebody wants them, because there is one for each message.
create table kept_events (
  account_id uuid not null references accounts,
  type text not null,
  primary key (account_id, type)
);

-- Which batch has claimed a retry: another that ends meanwhile, and had the same row before, must not set it free.
alter table retries add column batch bigint;
