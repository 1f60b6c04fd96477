-- A customer at Stripe was made in one mode and by one account there, and is known under no other key (docs/decisions/0098). Null: not known yet.
alter table billing_stripe_customers
  add column livemode boolean,
  add column stripe_account text,
  -- That Stripe doesn't have the customer any more, or doesn't under the key of this service.
  add column missing_as text check (missing_as in ('deleted', 'foreign')),
  -- The anchor that Stripe last had, which it sets anew where a plan begins a period at once.
  add column stripe_anchor timestamptz(3),
  -- Until then nothing follows from what is owed, because an operator said so.
  add column grace_until timestamptz(3);

-- Customers whose place another took: of the other mode, of another account of Stripe's, or deleted there.
create table billing_stripe_former_customers (
  customer_id text primary key,
  account_id uuid not null references accounts on delete cascade,
  livemode boolean,
  stripe_account text,
  missing_as text check (missing_as in ('deleted', 'foreign')),
  subscription_id text,
  plan_subscription_id uuid,
  status text not null,
  cancels_at timestamptz(3),
  stripe_anchor timestamptz(3),
  replaced_at timestamptz(3) not null
);
create index billing_stripe_former_customers_of on billing_stripe_former_customers (account_id);

-- Whose subscription it was. Null: the customer that the account then was, before this was noted.
alter table billing_stripe_followers add column customer_id text;

-- Customers of accounts that are deleted: what they still pay for ends at Stripe, however long that is away. No row names the account, which is gone.
create table billing_stripe_endings (
  customer_id text primary key,
  livemode boolean,
  stripe_account text,
  asked_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index billing_stripe_endings_waiting on billing_stripe_endings (asked_at) where ended_at is null;
