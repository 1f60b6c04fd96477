-- A host was held by whoever named it first, proved or not, and so could be kept from whom it belongs to. Now it is one domain's alone
-- only among those that are proved and use it.
drop index domains_by_return_path;
drop index domains_by_tracking_host;
create index domains_by_return_path on domains (return_path) where return_path is not null;
create index domains_by_tracking_host on domains (tracking_host) where tracking_host is not null;
create unique index domains_return_path_used on domains (return_path)
  where return_path_ok and status in ('verified', 'failing');
create unique index domains_tracking_host_used on domains (tracking_host)
  where tracking_ok and status in ('verified', 'failing');
-- Looks that are under way, of which an account may have a few at a time.
create index domains_leased on domains (account_id) where leased_until is not null;
