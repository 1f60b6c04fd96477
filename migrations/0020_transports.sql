-- SMTP servers of an account's own.
create table transports (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  host text not null,
  port int not null,
  -- implicit, required, opportunistic, never.
  tls text not null,
  verify_certificate boolean not null,
  username text,
  -- Sealed under SECRET_KEY for this very row: AES-256-GCM with the account and the id as additional data.
  password bytea,
  ehlo_name text,
  max_connections int not null,
  rate_per_second double precision,
  -- Raised by every edit, so that senders know when what they have open is old.
  version int not null,
  -- What the last test found; all null before the first.
  tested_at timestamptz(3),
  test_ok boolean,
  test_phase text,
  test_code int,
  test_text text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index transports_by_age on transports (account_id, created_at, id);

-- Which of them an account's stream leaves by. A stream without a row leaves by the instance's.
create table transport_streams (
  account_id uuid not null,
  stream text not null,
  transport_id uuid not null,
  primary key (account_id, stream),
  foreign key (account_id, transport_id) references transports on delete cascade
);
create index transport_streams_of on transport_streams (account_id, transport_id);

-- Who keeps a transport from being deleted.
create index sources_by_transport on sources (account_id, transport_id) where state in ('running', 'paused');

-- A server's words may quote anything: no samples of them in pg_statistic, nor of what is sealed.
alter table transports alter column test_text set statistics 0;
alter table transports alter column password set statistics 0;
