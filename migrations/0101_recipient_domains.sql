-- What the DNS says of domains at which people have addresses, for the whole instance: it is the same for every account, and no account can list it.
create table recipient_domains (
  name text primary key,
  state text not null check (state in ('mx', 'no_mx', 'null_mx', 'no_mail_server', 'no_such_domain', 'internal_mail_server')),
  -- The servers that take its mail, the most preferred first.
  servers text[] not null,
  looked_up_at timestamptz(3) not null,
  -- From then on it is looked up again; what is known holds until that has been answered.
  fresh_until timestamptz(3) not null
);
create index recipient_domains_by_age on recipient_domains (fresh_until);
