-- The mails of one subscriber, newest first: from the sources of its list, each row of the ledger found by its primary
-- key. An index of the ledger by contact would cost every planned row; this one costs a launch.
create index sources_of_list on sources (account_id, list_id, launched_at, id);
