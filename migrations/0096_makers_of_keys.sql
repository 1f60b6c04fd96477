-- The user who knows a key's secret, and the one before the last rotation: a key may do no more than they may now, and ends when they leave
-- (docs/decisions/0074). Null: nobody's, as for keys of the command line, and for all that were made before this was noted.
alter table api_keys
  add column made_by uuid,
  add column previous_made_by uuid;
