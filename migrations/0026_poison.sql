-- How often a sender died that had this batch. After two deaths its rows are composed one by one, each named in `composing`
-- meanwhile. What was named there when a sender died is the suspect, with the number of such deaths in a row. The nil id stands
-- for the source itself, which is opened before its rows are composed.
alter table batches add column deaths smallint not null default 0;
alter table batches add column composing uuid;
alter table batches add column suspect uuid;
alter table batches add column suspect_deaths smallint not null default 0;
