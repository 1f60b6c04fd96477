-- A campaign that was sent with time to take it back leaves as it was read: until it is taken back or paused, nobody changes it.
alter table campaigns add column is_agreed boolean not null default false;
