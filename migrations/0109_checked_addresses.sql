-- How many addresses of an import's rows were judged how: {ok, risky, bad, unknown, reasons}. Null where nobody asked for it.
alter table imports add column checked jsonb;

-- Beside the rows that failed, those stand here that were imported and whose address may not be reached: `result` says so, and is null of the others.
alter table import_errors add column result text check (result in ('risky', 'bad'));
alter table import_errors add column reasons text[];
alter table import_errors add column suggestion text;
alter table import_errors alter column suggestion set statistics 0;
