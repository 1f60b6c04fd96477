-- How many mails a transport takes in a day of UTC, to all mailbox providers together; null for no limit.
alter table transports add column max_per_day integer;

-- By such a plan a new server is made known: it begins with a few mails a day to each mailbox provider, and each good day allows more
-- (docs/decisions/0087).
create table warmup_plans (
  account_id uuid not null,
  transport_id uuid not null,
  start_per_day integer not null,
  growth double precision not null,
  target_per_day integer not null,
  -- Since then no day takes a step; null while the plan runs.
  paused_at timestamptz(3),
  -- It tells the days of this plan from those of one that was deleted.
  began_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, transport_id),
  foreign key (account_id, transport_id) references transports on delete cascade
);

-- What a transport may be given on a day of UTC for one mailbox provider, or by `*` for all together, and how much of that senders have drawn.
-- It is written once a day. No statement can make it more.
create table transport_days (
  account_id uuid not null,
  transport_id uuid not null,
  day date not null,
  provider text not null,
  allowed integer not null,
  -- Of that, so many are kept for transactional mail.
  reserved integer not null,
  drawn integer not null default 0,
  -- Of that, for transactional mail.
  drawn_urgent integer not null default 0,
  -- What the last draw was granted, so that one statement both draws and says how much.
  granted integer not null default 0,
  -- What became of the mails: refused for good because of the address, and attempts that were put off.
  hard integer not null default 0,
  deferred integer not null default 0,
  -- Complaints that came on this day; null until the next day is opened.
  complained integer,
  -- The plan by which it was written; null for `*`.
  plan_began_at timestamptz(3),
  primary key (account_id, transport_id, day, provider),
  foreign key (account_id, transport_id) references transports on delete cascade,
  check (drawn between 0 and allowed),
  check (drawn_urgent between 0 and drawn),
  check (reserved between 0 and allowed)
) with (fillfactor = 50);

-- A batch all of whose recipients have their mailboxes at this provider: what was held back on a day on which that one could be given no more.
-- Null for every other batch.
alter table batches add column provider text;
