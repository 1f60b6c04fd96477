-- Numbers of a campaign in depth: by domain, by recipient, on a subscriber's timeline, and as events.

-- Processes of the release before take hits too, and add them to fewer sums than there are from here on. They may run beside the new
-- ones for a while and go on storing hits, but only who names this way of counting may take them. To the others the inbox looks
-- locked, which they try again later.
create function refuse_older_counting() returns trigger language plpgsql as $$
begin
  if current_setting('postrider.counting', true) is distinct from 'by_domain' then
    raise exception 'hits are counted by a newer release' using errcode = 'lock_not_available';
  end if;
  return null;
end $$;
create trigger refuse_older_counting before delete on hits for each statement execute function refuse_older_counting();

-- The domain that a message is counted under, which stays whatever becomes of its subscriber; '' stands for every domain that
-- isn't counted by itself. Null in rows from before this column: they are in no domain's sums until their next hit.
-- And the times when a person first opened and first clicked, which a machine may have done before.
alter table message_engagements add column domain text;
alter table message_engagements add column first_human_at timestamptz(3);
alter table message_engagements add column first_human_click_at timestamptz(3);
update message_engagements set first_human_at = first_at where human_pixels > 0 or human_clicks > 0;
update message_engagements set first_human_click_at = first_click_at where human_clicks > 0;

alter table link_engagements add column first_at timestamptz(3);
update link_engagements l set first_at = m.first_click_at
from message_engagements m
where m.account_id = l.account_id and m.source_id = l.source_id and m.contact_id = l.contact_id;

-- The pages of who opened and who clicked. The columns in these indexes change only when an earlier hit turns up late, so that they
-- keep no later update of a message from staying within its page (HOT).
create index message_engagements_opened on message_engagements (account_id, source_id, contact_id)
  where first_human_at is not null;
create index message_engagements_clicked on message_engagements (account_id, source_id, contact_id)
  where first_human_click_at is not null;
create index message_engagements_clicked_by_any on message_engagements (account_id, source_id, contact_id)
  where first_click_at is not null;

-- A subscriber's timeline: what one contact opened and clicked, by time.
create index message_engagements_of_contact on message_engagements (account_id, contact_id, first_at);
create index link_engagements_of_contact on link_engagements (account_id, contact_id, first_at);

-- The pages of whose mail bounced, which may be few among those whose mail failed.
create index delivery_errors_bounced on delivery_errors (account_id, source_id, contact_id)
  where state = 'failed' and why in ('hard_bounce', 'soft_bounce', 'block_bounce');

-- Several may want the same type of event. One who goes away takes only its own rows along.
alter table kept_events add column owner text not null default '';
alter table kept_events drop constraint kept_events_pkey;
alter table kept_events add primary key (account_id, type, owner);

-- An export of a campaign's recipients may be of those to whom something happened.
alter table exports add column event text;
alter table exports add column include_machines boolean not null default false;

-- Segments made of a campaign's recipients. A job gives each of them the segment's tag; `after` is the last contact it has done.
create table recipient_segments (
  account_id uuid not null references accounts,
  segment_id uuid not null,
  campaign_id uuid not null,
  tag_id uuid not null,
  tag_name text not null,
  event text not null,
  include_machines boolean not null,
  after uuid,
  processed bigint not null default 0,
  tagged bigint not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  completed_at timestamptz(3),
  primary key (account_id, segment_id)
);
