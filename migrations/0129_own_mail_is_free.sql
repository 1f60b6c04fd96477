-- The product's own mail isn't the account's usage: sources of it that are opened from now on say so, and `system` stands for what left of them, by
-- whatever server. Those opened before stay what they were counted as.
alter table sources add column is_metered boolean not null default true;
alter table usage_hours drop constraint usage_hours_via_check;
alter table usage_hours add constraint usage_hours_via_check check (via in ('instance', 'own', 'sandbox', 'system'));
