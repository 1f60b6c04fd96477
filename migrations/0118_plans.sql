-- What operators sell (docs/decisions/0092). Amounts are in the currency's smallest unit; null is no limit.
create table billing_plans (
  id uuid primary key,
  name text not null,
  price bigint not null check (price >= 0),
  currency text not null,
  -- month, year.
  interval text not null,
  included_mails bigint check (included_mails >= 0),
  overage_per_1000 bigint check (overage_per_1000 >= 0),
  -- stop, overage.
  at_limit text not null,
  transactional_reserve bigint not null check (transactional_reserve >= 0),
  daily_mails bigint check (daily_mails >= 0),
  contacts bigint check (contacts >= 0),
  members bigint check (members >= 0),
  features text[] not null,
  trial_days int not null check (trial_days >= 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3),
  check (at_limit = 'stop' or (overage_per_1000 is not null and included_mails is not null))
);
create index billing_plans_by_age on billing_plans (created_at, id);

-- Which plan an account has and had. `terms` are those of the plan when it was subscribed to, and no later change of the plan touches them. Periods
-- are counted from the anchor by the clock of the time zone that the account had then; what lies before the anchor is the trial.
create table billing_subscriptions (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  plan_id uuid not null references billing_plans,
  terms jsonb not null,
  time_zone text not null,
  started_at timestamptz(3) not null,
  anchor timestamptz(3) not null,
  spending_cap bigint check (spending_cap >= 0),
  tax_label text,
  -- In millionths.
  tax_rate int check (tax_rate between 0 and 1000000),
  ended_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id),
  check (anchor >= started_at),
  check ((tax_label is null) = (tax_rate is null))
);
create unique index billing_subscriptions_running on billing_subscriptions (account_id) where ended_at is null;
create index billing_subscriptions_by_plan on billing_subscriptions (plan_id) where ended_at is null;

-- What operators give an account: an amount or mails. Rows are never changed; one that was a mistake has its opposite in another row.
create table billing_credits (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  amount bigint,
  currency text,
  mails bigint,
  reason text not null,
  -- The credit of which this is the opposite.
  reverses uuid,
  -- The public id of the person or of the instance's key.
  operator_id text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id),
  check ((amount is null) = (currency is null)),
  check ((amount is null) <> (mails is null))
);
create index billing_credits_by_age on billing_credits (account_id, created_at, id);
create unique index billing_credits_reversed on billing_credits (account_id, reverses) where reverses is not null;
create trigger billing_credits_append_only before update on billing_credits for each row execute function refuse_change();
