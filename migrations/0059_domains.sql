-- Sender domains of an account. What proves a domain is the account's own DKIM key in its DNS, so several accounts may have the
-- same name, and each has keys of its own.
create table domains (
  account_id uuid not null references accounts,
  id uuid not null,
  -- Lower case, in A-labels.
  name text not null,
  -- pending, verified, failing, unverified.
  status text not null,
  -- Hosts below the name. They are used in mail only while their records are right, as the two booleans say.
  return_path text,
  tracking_host text,
  return_path_ok boolean not null,
  tracking_ok boolean not null,
  -- The host leads here by its CNAME, also before there is a certificate for it; the web server asks for that.
  tracking_cname_ok boolean not null,
  ed25519 boolean not null,
  -- Raised by every edit by a client.
  version int not null,
  -- Raised whenever it changes by which keys, from which hosts or whether at all mail of this domain is signed.
  keys_version bigint not null,

  -- When it last became verified, and when the proof was first missed, where it is failing.
  verified_at timestamptz(3),
  failing_since timestamptz(3),
  -- What the last look found, as the API shows it. It is json and not jsonb, which refuses the NUL that a TXT may hold.
  records json not null,
  dns_host json,
  checked_at timestamptz(3),

  -- How often the jobs role has looked in vain since something was changed or found; the wait grows with it.
  looks int not null,
  next_check_at timestamptz(3) not null,
  -- Somebody has the page open until then, and it is looked at every few seconds.
  watched_until timestamptz(3),
  -- When a client last asked for a look.
  verify_asked_at timestamptz(3),
  -- One process at a time looks, until leased_until at most by the database's clock; it writes only while leased_by is its own.
  leased_by uuid,
  leased_until timestamptz,

  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by_kind text,
  updated_by_id uuid,
  primary key (account_id, id)
);
create unique index domains_by_name on domains (account_id, name);
create index domains_by_age on domains (account_id, created_at, id);
-- Whoever looks for work asks for what is due, over all accounts.
create index domains_due on domains (next_check_at);
create index domains_watched on domains (watched_until) where watched_until is not null;
-- A host leads to one account alone: a click or a bounce that comes to it says nothing else about whose it is.
create unique index domains_by_return_path on domains (return_path) where return_path is not null;
create unique index domains_by_tracking_host on domains (tracking_host) where tracking_host is not null;

create table domain_keys (
  account_id uuid not null,
  domain_id uuid not null,
  id uuid not null,
  -- rsa, ed25519.
  algorithm text not null,
  selector text not null,
  -- standby, active, retiring, retired.
  state text not null,
  -- PKCS 8 in PEM, sealed under SECRET_KEY for this very row; null once the key is retired.
  private_key bytea,
  -- What has to stand at <selector>._domainkey.<name>.
  public_record text not null,
  -- Since when the record stands in the DNS; null before, and when it is known to be gone. Only keys that were seen sign.
  seen_at timestamptz(3),
  activated_at timestamptz(3),
  -- When another key took its place.
  retiring_since timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (account_id, domain_id, id),
  foreign key (account_id, domain_id) references domains on delete cascade
);
create unique index domain_keys_by_selector on domain_keys (account_id, domain_id, selector);
-- Of each algorithm there is one key that signs and one that waits.
create unique index domain_keys_in_use on domain_keys (account_id, domain_id, algorithm, state)
  where state in ('active', 'standby');
