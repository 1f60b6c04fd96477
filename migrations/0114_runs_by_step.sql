-- The state came before the step, so a table that was never analysed was looked at for what is due by this index: three of its columns were
-- named, and only two of automation_runs_due. That read everybody inside, 2 seconds for 500,000, at every look. Who asks for a step names it, too, so
-- the order of the two is the same to them. It is still the one index that begins with the account and has every run (0102).
drop index automation_runs_at_node;
create index automation_runs_at_node on automation_runs (account_id, automation_id, node, state);
