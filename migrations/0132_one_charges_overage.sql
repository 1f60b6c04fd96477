-- Until when whoever began to charge it is alone in that. Null where nobody does.
alter table billing_overage_items add column claimed_until timestamptz(3);
