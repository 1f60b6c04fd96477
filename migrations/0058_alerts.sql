-- What an account has to know of and do something about, such as a domain whose proof is gone. There is one alert for each kind and
-- subject at a time; it stays until what it is about is over, and it is told of again only when severity or state_key changes.
create table alerts (
  account_id uuid not null references accounts,
  id uuid not null,
  kind text not null,
  -- What it is about, in the words of its kind: an id, a domain, an address of a server.
  subject text not null,
  status text not null check (status in ('open', 'acknowledged', 'closed')),
  severity text not null check (severity in ('warning', 'critical')),
  -- Says which of its states the subject is in. Another one makes the alert open again.
  state_key text not null,
  title text not null,
  detail text not null,
  remedy text not null,
  data jsonb not null,
  acknowledged_at timestamptz(3),
  closed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
);
create unique index alerts_one_at_a_time on alerts (account_id, kind, subject) where status <> 'closed';
create index alerts_by_age on alerts (account_id, created_at, id);
create index alerts_by_status on alerts (account_id, status, created_at, id);
create index alerts_closed on alerts (closed_at) where status = 'closed';
