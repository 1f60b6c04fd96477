-- An endpoint's place in the log is written many times a second while it is delivered to. With room in its page a new version needs no
-- entry in an index, and the dead ones are cleared as the page is read.
alter table webhooks set (fillfactor = 30);
