-- What the plan of an account allows beside mails. Billing writes it together with the allowance; an account without such limits has no row.
create table plan_limits (
  account_id uuid primary key,
  -- How many people may belong to the account, with those who are invited.
  members int check (members >= 0)
);
