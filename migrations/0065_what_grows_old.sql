-- Addresses that no mail has left from for long, and soft bounces that weigh nothing any more, are found by their age.
create index transport_addresses_by_age on transport_addresses (last_seen_at);
create index soft_bounces_by_age on soft_bounces (at);
create index reached_addresses_by_age on reached_addresses (at);
