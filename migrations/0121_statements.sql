-- When the period ends that has no statement yet, or earlier: then somebody looks again. Null once an ended subscription has all its statements.
alter table billing_subscriptions add column statement_due_at timestamptz(3);
update billing_subscriptions set statement_due_at = started_at;
create index billing_subscriptions_due on billing_subscriptions (statement_due_at) where statement_due_at is not null;

-- What a period that is over costs (docs/decisions/0096). Rows are never changed. Amounts are in the currency's smallest unit.
create table billing_statements (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  subscription_id uuid not null,
  period_from timestamptz(3) not null,
  period_to timestamptz(3) not null,
  currency text not null,
  -- The lines, and by what they were reckoned.
  bill jsonb not null,
  -- What mails beyond those included cost, less credits, before tax.
  overage bigint not null check (overage >= 0),
  total bigint not null check (total >= 0),
  -- What it took from the account's credits.
  spent_amount bigint not null check (spent_amount >= 0),
  spent_mails bigint not null check (spent_mails >= 0),
  closed_at timestamptz(3) not null,
  primary key (account_id, id),
  unique (account_id, subscription_id, period_from),
  check (period_from <= period_to)
);
create index billing_statements_by_period on billing_statements (account_id, period_from, id);
create trigger billing_statements_append_only before update on billing_statements for each row execute function refuse_change();

-- Of what the mails of a statement were, as the ledger had it when the statement was made. It outlasts the ledger and what the mails belonged to.
create table billing_statement_sources (
  account_id uuid not null references accounts on delete cascade,
  statement_id uuid not null,
  -- The statement of the period in which they were sent: an earlier one for what was settled after that was closed.
  of_statement_id uuid not null,
  stream text not null,
  -- campaign, automation, transactional, unattributed.
  kind text not null,
  -- The nil id where there is none.
  owner_id uuid not null,
  name text,
  accepted bigint not null,
  -- All that was sent of it by then.
  sent_in_all bigint,
  primary key (account_id, statement_id, of_statement_id, kind, owner_id, stream)
);
create index billing_statement_sources_by_period on billing_statement_sources (account_id, of_statement_id);
create trigger billing_statement_sources_append_only before update on billing_statement_sources for each row execute function refuse_change();
