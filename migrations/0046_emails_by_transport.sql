-- A mail may name the transport that it leaves by. Null is the account's own choice at the time when it leaves.
alter table emails add column transport_id uuid;

-- The greatest message that the server takes, as it said when it was last greeted (RFC 1870); null where it has not said so.
alter table transports add column size_limit bigint;
