-- A campaign to many of an account on probation is looked at by an operator before any mail of it leaves (docs/decisions/0070). Once one was
-- approved, the account's later ones leave by themselves.
alter table account_probations add column reviewed_at timestamptz(3);

-- due: it isn't known yet to how many it goes. asked: it waits for an operator. Senders see neither.
alter table sources add column review text check (review in ('due', 'asked'));

create table source_reviews (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  owner_id uuid not null,
  state text not null check (state in ('pending', 'approved', 'refused', 'withdrawn')),
  created_at timestamptz(3) not null,
  decided_at timestamptz(3),
  -- Why it was refused, in the words of the operator; the people of the account read them.
  reason text,
  primary key (account_id, id)
);
create unique index source_reviews_pending on source_reviews (account_id, owner_id) where state = 'pending';
-- Operators look at what waits in all accounts, the oldest first.
create index source_reviews_waiting on source_reviews (created_at, id) where state = 'pending';
