-- Who is in the segments that triggers of running automations name, as last judged (docs/decisions/0083): without it nobody could say who comes into
-- a segment, and who leaves it. A segment is looked through in pages, of which the first look lets nobody in. While a look is under way, `looks_until` is
-- when it began, and (after_created_at, after_id) is the last person it has come to.
create table automation_segments (
  account_id uuid not null,
  id uuid not null,
  automation_id uuid not null,
  segment_id uuid not null,
  -- Of the rules by which people were judged; with others, everything begins anew under another id.
  rules_hash text not null,
  -- Whether somebody may come in or leave without an event.
  is_relative boolean not null,
  -- When the last look began that is done; null until the first one is.
  looked_at timestamptz(3),
  looks_until timestamptz(3),
  after_created_at timestamptz(3),
  after_id uuid,
  next_at timestamptz(3) not null,
  -- Its members are removed in pieces, and then it is itself.
  is_ended boolean not null default false,
  primary key (account_id, id)
);
create unique index automation_segments_watched on automation_segments (account_id, automation_id, segment_id) where not is_ended;

create table automation_segment_members (
  account_id uuid not null,
  watch_id uuid not null,
  subscriber_id uuid not null,
  primary key (account_id, watch_id, subscriber_id)
);
create index automation_segment_members_of on automation_segment_members (account_id, subscriber_id);

-- Forgetting somebody removes these rows in the same transaction, by whatever way they are deleted.
create function forget_automation_members() returns trigger language plpgsql as $$
begin
  if exists (select from gone) then
    delete from automation_segment_members m using gone where m.account_id = gone.account_id and m.subscriber_id = gone.id;
  end if;
  return null;
end $$;
create trigger subscribers_forgotten_by_automation_segments after delete on subscribers
  referencing old table as gone for each statement execute function forget_automation_members();
