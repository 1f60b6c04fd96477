/** Makes operators of people, as the command line does, with the second factor that they need to change anything. */
import { addOperator } from "../../src/accounts/accounts.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import type { TestApp } from "./app.ts";
import type { Person } from "./people.ts";
import { addApp } from "./second-factors.ts";

export async function makeOperator(
  app: TestApp,
  person: Person,
  clock: Clock = systemClock,
): Promise<string> {
  const { id } = await app.db.one<{ id: string }>(sql`select id from people where email = ${person.email}`);
  await app.db.transaction((tx) => addOperator({ sql: tx, clock }, id));
  await addApp(person.browser, clock.now());
  return id;
}
