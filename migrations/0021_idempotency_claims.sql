-- A request that acts outside of its transaction claims its key by a row of its own, committed before it acts. While
-- this is set, the row has no answer yet: before that time the request is under way, after it nobody knows how it ended.
alter table idempotency_answers add column acting_until timestamptz(3);
