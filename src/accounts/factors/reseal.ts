import { type Db, sql } from "../../platform/db/db.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { contextOf } from "./apps.ts";

type Sealed = { person_id: string; id: string; secret: Buffer };
const AT_ONCE = 100;

/** Seals the secrets of all apps under the new key after a rotation of SECRET_KEY, so that the old key can go. */
export async function resealFactors(db: Db, secrets: Secrets): Promise<void> {
  let last: Sealed | undefined;
  do {
    const some: readonly Sealed[] = await db.many<Sealed>(sql`
      select person_id, id, secret from factors
      where kind = 'totp' and (person_id, id) > (${last?.person_id ?? FIRST}::uuid, ${last?.id ?? FIRST}::uuid)
      order by person_id, id limit ${AT_ONCE}`);
    for (const row of some) {
      const anew = secrets.reseal("factor", row.secret, contextOf(row));
      if (!anew) continue;
      await db.execute(sql`
        update factors set secret = ${anew}
        where person_id = ${row.person_id} and id = ${row.id} and secret = ${row.secret}`);
    }
    last = some.at(-1);
  } while (last);
}

const FIRST = "00000000-0000-0000-0000-000000000000";
