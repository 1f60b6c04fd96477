-- Each step of an automation has receivers of its own, so what is to be told is found by step.
create index automation_outbox_of_step on automation_outbox (account_id, automation_id, node, next_at);
drop index automation_outbox_front;
