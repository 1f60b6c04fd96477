-- A list may have a sunset policy: who had so many mails in so many days and showed no sign of life is warned, and after a grace gets
-- no campaigns. Nobody loses the subscription or a consent by it.
create table sunset_policies (
  account_id uuid not null references accounts,
  list_id uuid not null,
  days int not null check (days between 30 and 1095),
  mails int not null check (mails between 1 and 50),
  grace_days int not null check (grace_days between 0 and 90),
  -- While it is paused nobody is marked; who is marked stays so.
  paused_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, list_id)
);

-- Those who are marked, and those who woke. They are few beside all subscribers, so that they have a table of their own: planning looks
-- through those of a slice as a set. Who woke stays for as long as the policy's days, and isn't marked meanwhile.
create table dormancies (
  account_id uuid not null,
  subscriber_id uuid not null,
  list_id uuid not null,
  state text not null check (state in ('warned', 'dormant', 'woken')),
  -- When the policy marked the subscriber: signs of life are looked for since then.
  marked_at timestamptz(3) not null,
  -- When the present state began.
  changed_at timestamptz(3) not null,
  primary key (account_id, subscriber_id)
);
-- A walk through those of a list, and their counts.
create index dormancies_of_list on dormancies (account_id, list_id, subscriber_id) include (state);
-- Who has been in a state for long.
create index dormancies_by_state on dormancies (account_id, list_id, state, changed_at);
