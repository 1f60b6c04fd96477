/** Reports come late, twice and in any order, and some tell of what the sender doesn't know yet: the end is always the same. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { readCounts } from "../../delivery/delivery.ts";
import { sql } from "../../platform/db/db.ts";
import { comeBack, createActingBench, type Mail } from "./acting.fixture.ts";

const PEOPLE = 60;
const CAMPAIGNS = 6;
const REPORTS = 1_000;
const ORDERS = 5;
const DAY_MS = 86_400_000;
const BEGAN = Date.now() - 40 * DAY_MS;

/** Who complains is among other people than whose mail is said to have arrived (docs/decisions/0035). */
const KINDS = ["hard", "soft", "soft", "soft", "soft", "block", "delay", "auto_reply"] as const;

type Told = {
  readonly person: number;
  readonly campaign: number;
  readonly kind: (typeof KINDS)[number] | "complaint" | "delivered" | "unsubscribe";
  readonly hours: number;
  readonly times: number;
};

const told: fc.Arbitrary<Told> = fc
  .record({
    person: fc.nat(PEOPLE - 1),
    campaign: fc.nat(CAMPAIGNS - 1),
    kind: fc.constantFrom(...KINDS, "other_half" as const),
    hours: fc.nat(90),
    times: fc.constantFrom(1, 1, 1, 2, 3),
  })
  .map(({ kind, ...one }) => {
    if (kind === "other_half") return { ...one, kind: lastKindOf(one) };
    // Most people have an address that works, or else nobody would be suppressed for soft bounces.
    return { ...one, kind: kind === "hard" && one.person % 4 !== 0 ? ("soft" as const) : kind };
  });

function lastKindOf({ person, hours }: { person: number; hours: number }): Told["kind"] {
  if (person % 2 === 0) return "delivered";
  return hours % 2 === 0 ? "complaint" : "unsubscribe";
}

describe("a thousand reports, repeated and in any order", () => {
  let made: Awaited<ReturnType<typeof createActingBench>>;
  before(async () => {
    made = await createActingBench();
  });
  after(() => made.bench.stop());

  /** Every account has the same people and the same campaigns. */
  async function addWorld(): Promise<{ accountId: string; mails: Mail[][] }> {
    const accountId = await made.bench.addAccount();
    const emails = Array.from({ length: PEOPLE }, (_, n) => `p${n}@d${n % 20}.example`);
    const first = await made.addMails(emails, { accountId, at: new Date(BEGAN) });
    const mails = [first];
    for (let n = 1; n < CAMPAIGNS; n++) {
      const state = n === 2 ? ("unknown" as const) : ("sent" as const);
      mails.push(
        await made.addMails([], { accountId, people: first, at: new Date(BEGAN + n * 5 * DAY_MS), state }),
      );
    }
    return { accountId, mails };
  }

  async function stateOf(accountId: string, mails: readonly (readonly Mail[])[]) {
    const { db } = made.bench;
    const nameOf = new Map(mails[0]?.map((mail, n) => [mail.contactId, n]));
    const campaignOf = new Map(mails.map(([mail], n) => [mail?.sourceId, n]));
    const people = await db.many<{
      id: string;
      status: string;
      reason: string | null;
      streams: string[] | null;
    }>(sql`
      select s.contact_id as id, s.status, x.reason, x.streams from subscribers s
      left join suppressions x on x.account_id = s.account_id and x.contact_id = s.contact_id
      where s.account_id = ${accountId}`);
    const feedback = await db.many<{ id: string; source: string; kind: string; at: Date }>(sql`
      select contact_id as id, source_id as source, kind, at from source_feedback where account_id = ${accountId}`);
    const ledger = await db.many<{ state: string; count: number }>(sql`
      select state, count(*) as count from deliveries where account_id = ${accountId} group by 1 order by 1`);
    const counts = await Promise.all(mails.map(([mail]) => readCounts(db, accountId, mail?.sourceId ?? "")));
    return {
      people: people
        .map(({ id, ...one }) => ({ person: nameOf.get(id), ...one, streams: one.streams?.sort() }))
        .sort(byText),
      feedback: feedback
        .map(({ id, source, ...one }) => ({
          person: nameOf.get(id),
          campaign: campaignOf.get(source),
          ...one,
        }))
        .sort(byText),
      ledger,
      // An unsubscribe counts for the mail by which somebody left, which is the first that is carried out.
      counts: counts.map(({ unsubscribes: _, ...one }) => one),
    };
  }

  test("give one state", { timeout: 120_000 }, async () => {
    const [reports = []] = fc.sample(fc.array(told, { minLength: REPORTS, maxLength: REPORTS }), {
      numRuns: 1,
      seed: fc.readConfigureGlobal().seed ?? 1,
    });
    const repeated = reports.flatMap((one) => Array.from({ length: one.times }, () => one));
    assert.ok(repeated.length > REPORTS);
    const states: Awaited<ReturnType<typeof stateOf>>[] = [];
    for (let order = 0; order < ORDERS; order++) {
      const { accountId, mails } = await addWorld();
      const shuffled = shuffle(repeated, order);
      for (let begin = 0; begin < shuffled.length; ) {
        const size = 1 + ((begin * 7 + order * 13) % 120);
        const some = shuffled.slice(begin, begin + size).map(({ person, campaign, kind, hours }) => {
          const mail = mails[campaign]?.[person];
          assert.ok(mail);
          return comeBack(mail, kind, { at: new Date(BEGAN + campaign * 5 * DAY_MS + hours * 3_600_000) });
        });
        await made.act(some, accountId);
        begin += size;
      }
      states.push(await stateOf(accountId, mails));
    }
    const [first, ...others] = states;
    assert.ok(first);
    const reasons = new Set(first.people.map(({ reason }) => reason));
    assert.deepEqual([...reasons].sort(), ["complaint", "hard_bounce", "soft_bounces", null].sort());
    for (const other of others) assert.deepEqual(other, first);
    for (const { recipients, sent, unknown } of first.counts) assert.equal(sent + unknown, recipients);
  });
});

function byText(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

/** The first order is the one in which they were drawn; each other is its own. */
function shuffle<T>(all: readonly T[], seed: number): T[] {
  const shuffled = [...all];
  let state = seed;
  for (let at = shuffled.length - 1; seed > 0 && at > 0; at--) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const other = state % (at + 1);
    [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
  }
  return shuffled;
}
