-- Fails the transaction when the key is taken, so that a request need not wait for the answer before it goes on.
-- Each statement of a plpgsql function has a snapshot of its own: the look is taken with the lock already held, and so
-- can't miss the answer of a request that ended in between.
create function claim_idempotency_key(of_account uuid, lock_id bigint, hashes bytea[], since timestamptz)
returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(lock_id) then
    raise exception 'a request with this idempotency key is running' using errcode = 'PR001';
  end if;
  perform from idempotency_answers
    where account_id = of_account and key_hash = any(hashes) and created_at > since limit 1;
  if found then
    raise exception 'this idempotency key has an answer' using errcode = 'PR002';
  end if;
end $$;
