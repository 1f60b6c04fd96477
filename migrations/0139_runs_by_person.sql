-- What is looked up by a person is found by an index that begins with the person, as a run is by one that begins with its id (0102), so that no other
-- index fits the question. In a table of tens of thousands that was never analysed, each that begins with the account looked equally good, and the
-- narrowest was taken: all active runs of the account were read for each person, and 60,000 people took seven minutes to enter instead of seconds.
drop index automation_runs_active;
create unique index automation_runs_active on automation_runs (subscriber_id, account_id, automation_id, key) where state = 'active';
drop index automation_runs_ended_of;
create index automation_runs_ended_of on automation_runs (subscriber_id, account_id) where state <> 'active';
alter table automation_gates drop constraint automation_gates_pkey,
  add primary key (subscriber_id, account_id, automation_id, key);
