-- How many subscribers the plan allows on all lists together, beside what operators allow the account (docs/decisions/0076). Billing writes it with the
-- other limits: for a subscription that runs already, within the hour, by the job that writes the periods ahead.
alter table plan_limits add column contacts bigint check (contacts >= 0);
-- The features that the plan includes; null is all of them.
alter table plan_limits add column features text[];
