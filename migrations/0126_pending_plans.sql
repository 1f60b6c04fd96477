-- A smaller plan holds from the next period (docs/decisions/0100). From `next_at` on these hold in place of the columns without `next_`, whether or
-- not anybody has written the row since.
alter table billing_subscriptions
  add column next_at timestamptz(3),
  add column next_plan_id uuid references billing_plans,
  add column next_terms jsonb,
  add column next_spending_cap bigint check (next_spending_cap >= 0),
  add column next_tax_label text,
  add column next_tax_rate int check (next_tax_rate between 0 and 1000000),
  add constraint billing_subscriptions_next check ((next_at is null) = (next_plan_id is null) and (next_at is null) = (next_terms is null));
create index billing_subscriptions_by_next_plan on billing_subscriptions (next_plan_id) where next_plan_id is not null;
-- What an account has may end at a time that is to come.
create index billing_subscriptions_of_plan on billing_subscriptions (plan_id, ended_at);

-- The plan that accounts get by themselves, and the subscriptions that began by it (docs/decisions/0101).
alter table billing_plans add column is_default boolean not null default false;
create unique index billing_plans_default on billing_plans (is_default) where is_default;
alter table billing_subscriptions add column is_default boolean not null default false;
