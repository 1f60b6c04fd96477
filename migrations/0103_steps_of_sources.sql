-- The step of its owner that a source sends for, where the owner has several: an e-mail step of an automation. Events of opens and clicks name
-- it, so that automations can wait for them.
alter table sources add column step text;
update sources s set step = w.node from automation_waves w where w.account_id = s.account_id and w.source_id = s.id;
