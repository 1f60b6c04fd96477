-- An account that was made where there were others already is on probation until ended_at: it may send a number of mails a day, which
-- grows (docs/decisions/0070). Accounts without a row, as all that exist by now, are limited by nothing.
create table account_probations (
  account_id uuid primary key references accounts,
  began_at timestamptz(3) not null,
  ended_at timestamptz(3)
);

-- What an account on probation may send on a day of UTC, and how much of that senders have drawn. No statement can make it more.
create table account_days (
  account_id uuid not null references accounts,
  day date not null,
  allowed integer not null,
  drawn integer not null default 0,
  -- What the last draw was granted, so that one statement both draws and says how much.
  granted integer not null default 0,
  is_warned boolean not null default false,
  primary key (account_id, day),
  check (drawn between 0 and allowed)
);
