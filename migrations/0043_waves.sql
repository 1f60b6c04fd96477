-- A wave is a given source that takes the transactional mail of an account for one day and one transport. Its rows in the
-- ledger are named by ids of their own, in the column contact_id, because one person may get many mails in a wave.
-- `person_id` is then the contact. `email` and `email_key` have no more than @ and the domain: only the composer knows the
-- address, which is sealed. It is null in every other row, where contact_id is the contact.
alter table given_recipients add column person_id uuid;

-- Whoever adds to a wave calls this first. The shared lock keeps a sender from taking the wave out of `runnable`, and a job
-- from closing it, until the transaction has ended; those two take the lock alone. Locking the row of the source instead let
-- in one transaction after the other.
create function hold_wave(account uuid, wave uuid) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(wave::text, 0));
  perform from plans where account_id = account and source_id = wave and ended_at is null;
  if not found then
    raise exception 'the wave is closed' using errcode = '40001';
  end if;
end $$;

-- The kinds of mail that a suppression stops. A complaint about a campaign leaves transactional mail alone; all complaints of
-- before were about campaigns, or were entered by hand.
alter table suppressions add column streams text[] not null default '{campaign,automation,transactional}';
update suppressions set streams = '{campaign,automation}' where reason = 'complaint';
