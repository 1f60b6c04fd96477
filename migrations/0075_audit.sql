-- Who did what to what, and from where. A row is written in the transaction of the change. It holds ids and names of fields, and never what
-- a field holds.
create table audit_log (
  account_id uuid not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  actor_kind text not null check (actor_kind in ('user', 'api_key', 'system', 'operator', 'stranger')),
  -- Public ids, as events have them; that of the actor is null where it has none.
  actor_id text,
  action text not null,
  target_id text not null,
  fields text[] not null,
  -- Null where nobody asked by HTTP.
  network text,
  user_agent text,
  request_id text,
  primary key (account_id, created_at, id)
) partition by range (created_at);

-- GET /v1/audit, newest first: by who acted, by what was done, by all that was done to a kind of thing, and by what it was done to.
create index audit_log_by_actor on audit_log (account_id, coalesce(actor_id, actor_kind), created_at, id);
create index audit_log_by_action on audit_log (account_id, action, created_at, id);
create index audit_log_by_kind on audit_log (account_id, split_part(action, '.', 1), created_at, id);
create index audit_log_by_target on audit_log (account_id, target_id, created_at, id);

create table audit_log_default partition of audit_log default;

-- Only what maintains the partitions removes rows, by this setting of its own transactions; nothing changes them.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' and current_setting('postrider.may_remove_audit', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'PR003';
end
$$;
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_audit_change();
-- A trigger for a whole statement isn't handed on to partitions: each gets its own when it is made.
create trigger audit_log_untruncated before truncate on audit_log
  for each statement execute function refuse_audit_change();
create trigger audit_log_untruncated before truncate on audit_log_default
  for each statement execute function refuse_audit_change();
