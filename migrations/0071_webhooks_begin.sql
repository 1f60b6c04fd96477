-- A new endpoint begins with what is committed after it. Transactions that ran when it was made may commit later than others of higher
-- numbers that were over by then, so one place in the log can't say where it begins: what is below begins_xid was committed before,
-- but for those of begins_running. An endpoint that is older than these columns began at its place.
alter table webhooks
  add column begins_xid bigint not null default 0,
  add column begins_running bigint[] not null default '{}';
