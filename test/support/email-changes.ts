import { hashToken, makeToken } from "../../src/accounts/accounts.ts";
import { insertChange, markMailed } from "../../src/accounts/email-changes/change-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import type { TestApp } from "./app.ts";
import { addPerson, type Person } from "./people.ts";
import { uuidOf } from "./subscribers.ts";

/** Adds somebody whose change of address waits for its link, as if the mail had left, and returns the token of the link. */
export async function addChangingPerson(
  app: TestApp,
  email: string,
): Promise<{ person: Person; token: string }> {
  const person = await addPerson(app, email);
  const { person_id } = await app.db.one<{ person_id: string }>(
    sql`select person_id from users where id = ${uuidOf("usr", person.id)}`,
  );
  const token = makeToken("pre_", person_id);
  const now = systemClock.now();
  const change = {
    id: newId(systemClock),
    person_id,
    email: `next-${email}`,
    status: "pending",
    created_at: now,
    expires_at: new Date(now.getTime() + 3_600_000),
    mailed_at: null,
  } as const;
  await app.db.transaction(async (tx) => {
    await insertChange(tx, change);
    await markMailed(tx, change, hashToken(token), now);
  });
  return { person, token };
}
