-- One row: what every process on this database must agree on.
create table instance (
  only_row boolean primary key default true check (only_row),
  -- Of SECRET_KEY. A machine with another key would hash, sign and encrypt differently: it must not start.
  secret_fingerprint text not null
);
