-- What operators allow an account, beside what its standing allows; null is no limit (docs/decisions/0073).
alter table accounts
  add column daily_mail_limit integer check (daily_mail_limit >= 0),
  add column subscriber_limit integer check (subscriber_limit >= 0);

-- A day's row has both limits of its day: `allowed` is the lower one, or what was drawn before an operator made it less. Whether a day was a
-- clean one is judged by what probation alone allowed.
alter table account_days
  add column probation_allowed integer,
  add column operator_allowed integer;
update account_days set probation_allowed = allowed;
