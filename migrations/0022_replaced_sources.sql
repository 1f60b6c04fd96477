-- A campaign that failed before any mail had left may be sent again to another audience. Its source is then replaced by
-- one of another id, with a ledger of its own: nothing of the former has to be emptied first, and whoever still works on that
-- one can't touch the new one. `campaign_id` is the id that everybody outside knows it by; null: its own.
alter table sources add column campaign_id uuid;
-- Beside the rules as they were: whether the same segment was chosen again. Null for the whole list, and of older launches.
alter table sources add column segment_id uuid;
create unique index sources_current on sources (account_id, (coalesce(campaign_id, id))) where state <> 'replaced';
