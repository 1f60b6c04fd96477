-- A stream has several transports in order of priority. Mail leaves by the first that isn't put out.
alter table transport_streams add column place int not null default 0;
alter table transport_streams drop constraint transport_streams_pkey;
-- Null stands for the instance's server, which is the last of an order, and only where somebody chose it.
alter table transport_streams alter column transport_id drop not null;
alter table transport_streams add primary key (account_id, stream, place);
create unique index transport_streams_once on transport_streams (account_id, stream, transport_id) nulls not distinct;

-- A transport that refuses us, or can't be reached, is put out until a probe, somebody's word or an edit brings it back.
alter table transports
  add column out_since timestamptz(3),
  -- refused, unreachable.
  add column out_reason text,
  -- In the server's words, or in ours where it said nothing.
  add column out_detail text,
  -- How often it was probed; it starts at 0 again where the transport was in for long.
  add column out_tries int not null default 0,
  add column next_try_at timestamptz(3),
  -- When it last came back.
  add column back_at timestamptz(3);
alter table transports alter column out_detail set statistics 0;
