-- Days of transports go after 13 months, over all accounts.
create index transport_days_by_day on transport_days (day);
