-- Usage is counted by UTC hours, so periods begin and end with them: every hour is in exactly one period, also where a subscription ends and
-- another begins within it (docs/decisions/0096). When exactly somebody subscribed stands in `created_at`.
update billing_subscriptions set
  started_at = date_bin('1 hour', started_at, 'epoch'),
  anchor = date_bin('1 hour', anchor, 'epoch'),
  ended_at = date_bin('1 hour', ended_at, 'epoch');

-- Which terms a subscription had and when, since its own row has only those that it has now. A period is billed by those that held at its end.
-- Rows are never changed.
create table billing_terms (
  account_id uuid not null references accounts on delete cascade,
  subscription_id uuid not null,
  -- Of two changes in one millisecond the later one has the greater number.
  n bigint generated always as identity,
  from_at timestamptz(3) not null,
  plan_id uuid not null references billing_plans,
  terms jsonb not null,
  spending_cap bigint check (spending_cap >= 0),
  tax_label text,
  tax_rate int check (tax_rate between 0 and 1000000),
  primary key (account_id, subscription_id, n),
  check ((tax_label is null) = (tax_rate is null))
);
create trigger billing_terms_append_only before update on billing_terms for each row execute function refuse_change();

-- What was changed before isn't known any more.
insert into billing_terms (account_id, subscription_id, from_at, plan_id, terms, spending_cap, tax_label, tax_rate)
select account_id, id, started_at, plan_id, terms, spending_cap, tax_label, tax_rate from billing_subscriptions order by started_at, id;
