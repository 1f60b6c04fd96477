-- The transports whose server refused this source alone, while it took mail of others. A source moves to none of them until it is resumed or
-- launched anew, or the transport is edited.
alter table sources add column refused_by uuid[] not null default '{}';
