-- Accounts whose mails beyond those included are charged have no limit, and are yet told of what they use. Senders ask only for those that have one.
alter table allowances add column has_limit boolean not null default true;
-- The mails for which nobody is charged: those included, and those credited.
alter table allowance_periods add column free_mails bigint check (free_mails >= 0);

-- What is told is a part of so many mails: another plan, a credit or another cap within the period is a number of which nothing was told yet.
alter table allowance_notices add column mails bigint not null default 0;
update allowance_notices n set mails = p.mails from allowance_periods p
  where p.account_id = n.account_id and p.period_from = n.period_from and p.mails is not null;
alter table allowance_notices alter column mails drop default;
alter table allowance_notices drop constraint allowance_notices_pkey;
alter table allowance_notices add primary key (account_id, period_from, mails, percent);
