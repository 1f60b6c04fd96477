-- Accounts may be charged by Stripe (docs/decisions/0098). A price there stands for one plan here.
alter table billing_plans add column stripe_price_id text;
create unique index billing_plans_by_stripe_price on billing_plans (stripe_price_id) where stripe_price_id is not null;

-- What Stripe said of an account when it was last asked.
create table billing_stripe_customers (
  account_id uuid primary key references accounts on delete cascade,
  customer_id text not null unique,
  -- Every look at Stripe has a number. Only the look with the newest one is applied: those that began before it may be older.
  looks bigint not null default 0,
  looked_at timestamptz(3),
  -- The subscription there, and the one here that follows it; null where there is none.
  subscription_id text,
  plan_subscription_id uuid,
  status text not null default 'none' check (status in ('none', 'active', 'past_due', 'canceled')),
  cancels_at timestamptz(3),
  -- Since when something is owed, and how many of the steps that follow are taken: mails on days 0, 3 and 7, stops on 7 and 14.
  past_due_since timestamptz(3),
  overdue_steps int not null default 0 check (overdue_steps between 0 and 4),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check ((past_due_since is null) = (overdue_steps = 0))
);
create index billing_stripe_customers_overdue on billing_stripe_customers (past_due_since) where past_due_since is not null;

-- What Stripe posted, by its own id, so that each event is taken once. It says what to look at, and nothing else of it is believed.
create table billing_stripe_events (
  id text primary key,
  type text not null,
  customer_id text,
  -- Null where nobody here is that customer.
  account_id uuid references accounts on delete cascade,
  object_id text,
  received_at timestamptz(3) not null,
  -- When Stripe was asked because of it; null while that is still to be done.
  applied_at timestamptz(3)
);
create index billing_stripe_events_waiting on billing_stripe_events (account_id) where applied_at is null;
create index billing_stripe_events_by_age on billing_stripe_events (received_at);

-- Invoices as Stripe has them. Amounts are in the smallest unit that Stripe counts in.
create table billing_invoices (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  stripe_id text not null unique,
  number text,
  status text not null,
  currency text not null,
  total bigint not null,
  amount_due bigint not null,
  amount_paid bigint not null,
  hosted_invoice_url text,
  invoice_pdf text,
  period_from timestamptz(3) not null,
  period_to timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index billing_invoices_by_age on billing_invoices (account_id, created_at, id);

-- An account that owes may send no campaigns first, and nothing later on.
alter table account_holds drop constraint account_holds_kind_check;
alter table account_holds add constraint account_holds_kind_check
  check (kind in ('suspended', 'deletion', 'standing', 'payment_overdue'));
alter table account_holds add column stops text not null default 'all' check (stops in ('all', 'campaigns'));

-- Which subscriptions here followed one at Stripe. The rest were given by operators, and nobody is charged for them.
create table billing_stripe_followers (
  account_id uuid not null references accounts on delete cascade,
  plan_subscription_id uuid not null,
  subscription_id text not null,
  primary key (account_id, plan_subscription_id)
);

-- What a closed statement adds to the next invoice at Stripe. The row is written before Stripe is asked, and `made_at` afterwards.
create table billing_overage_items (
  account_id uuid not null references accounts on delete cascade,
  statement_id uuid not null,
  customer_id text not null,
  -- As Stripe counts it.
  amount bigint not null check (amount >= 0),
  currency text not null,
  intended_at timestamptz(3) not null,
  -- Null also where there was nothing to charge.
  item_id text,
  made_at timestamptz(3),
  primary key (account_id, statement_id)
);
