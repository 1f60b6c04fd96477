-- What keeps an account from sending, and some of it from changing anything (docs/decisions/0067). An account may be held for several reasons at once.
create table account_holds (
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('suspended', 'deletion', 'standing')),
  since timestamptz(3) not null,
  -- What is shown to the people of the account; null where there is nothing to say beside the kind.
  reason text,
  primary key (account_id, kind)
);

-- The product's own mail, such as a link for a forgotten password, leaves also while its account is held, in a wave of its own.
alter table sources add column goes_while_held boolean not null default false;
