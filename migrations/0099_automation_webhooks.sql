-- Webhook steps are signed with a secret of their automation, sealed, once somebody has asked for one. Of two, the former is good for a while.
alter table automations
  add column webhook_secret bytea,
  add column webhook_previous_secret bytea,
  add column webhook_previous_until timestamptz(3);

-- The front of what each automation has to tell, so that one with much of it keeps no other waiting.
create index automation_outbox_front on automation_outbox (account_id, automation_id, next_at);
drop index automation_outbox_of_automation;
