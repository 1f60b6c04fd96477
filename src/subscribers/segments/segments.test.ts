import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { systemClock } from "../../platform/clock.ts";
import { createDb, type Db, sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import type { FieldRow } from "../fields/field-store.ts";
import { tagKey } from "../tags/tag-store.ts";
import { compileRule } from "./compile.ts";
import { evaluateRule, type Person } from "./evaluate.fixture.ts";
import { type Rule, readRules } from "./rules.ts";
import { countStatement } from "./segment-store.ts";
import { describeRule } from "./sentence.ts";

const NOW = new Date("2026-11-15T10:30:00.000Z");
const TIME_ZONE = "Europe/London";
const TEXTS = ["Ada", "ada", "ADA LOVELACE", "Ömer", "a%b_c", "x", "it's", "日本"];
const DAYS = [
  "2026-03-28",
  "2026-03-29",
  "2026-10-25",
  "2026-11-14",
  "2026-11-15",
  "2026-11-16",
  "2025-12-31",
];
const TIMES = [
  "2026-03-29T00:30:00.000Z",
  "2026-10-25T23:59:59.999Z",
  "2026-11-14T00:00:00.000Z",
  "2026-11-15T10:29:59.000Z",
];
const TAGS = ["vip", "Beta", "été"];
const STATUSES = ["pending", "active", "unsubscribed", "bounced", "complained"];

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let accountId: string;
let otherAccountId: string;
const lists = [newId(systemClock), newId(systemClock)];
const field = (slot: number, key: string, type: FieldRow["type"]): FieldRow => ({
  account_id: "",
  id: newId(systemClock),
  slot,
  key,
  name: key,
  type,
  created_at: NOW,
  updated_at: NOW,
});
const fields = [
  field(1, "note", "text"),
  field(2, "score", "number"),
  field(3, "birthday", "date"),
  field(4, "member", "boolean"),
];

before(async () => {
  database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  db = createDb({
    connection: database.url,
    poolSize: 4,
    applicationName: "test",
    log,
    statementTimeoutMs: 20_000,
  });
  [accountId, otherAccountId] = await db.transaction(async (tx) => [
    (await createAccount(tx, systemClock, { name: "Mine" })).account_id,
    (await createAccount(tx, systemClock, { name: "Another" })).account_id,
  ]);
});
after(async () => {
  await db.close();
  await database.drop();
});

const maybe = <T>(from: readonly T[]) => fc.option(fc.constantFrom(...from), { nil: null });
const person: fc.Arbitrary<Person> = fc.record({
  email: fc.constantFrom("ada@example.com", "omer@example.org", "x+y@test.net"),
  first_name: maybe(TEXTS),
  last_name: maybe(TEXTS),
  locale: maybe(["en-GB", "de"]),
  time_zone: maybe(["Europe/London"]),
  source: fc.constantFrom("api", "import"),
  status: fc.constantFrom(...STATUSES),
  created_at: fc.constantFrom(...TIMES),
  updated_at: fc.constantFrom(...TIMES),
  confirmed_at: maybe(TIMES),
  unsubscribed_at: maybe(TIMES),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS)),
  lists: fc.constantFrom([0], [1], [0, 1]),
  note: maybe(TEXTS),
  score: maybe([-1.5, 0, 7, 1e9]),
  birthday: maybe(DAYS),
  member: maybe([true, false]),
});

const leaf = (field: string, op: string, value?: fc.Arbitrary<unknown>) =>
  value ? fc.record({ field: fc.constant(field), op: fc.constant(op), value }) : fc.constant({ field, op });
const any = (values: readonly unknown[]) => fc.constantFrom(...values);
const textLeaves = ["first_name", "last_name", "fields.note", "source"].flatMap((name) => [
  ...["is", "is_not", "contains", "not_contains", "starts_with", "ends_with"].map((op) =>
    leaf(name, op, any([...TEXTS, "a", "LOVE", "%", "_"])),
  ),
  leaf(name, "one_of", fc.array(any(TEXTS), { minLength: 1, maxLength: 3 })),
  leaf(name, "is_set"),
  leaf(name, "is_not_set"),
]);
const condition = fc.oneof(
  ...textLeaves,
  leaf("email", "ends_with", any(["example.com", "ORG", "@test.net"])),
  ...["is", "is_not", "above", "below", "at_least", "at_most"].map((op) =>
    leaf("fields.score", op, any([-1.5, 0, 7, 8])),
  ),
  leaf("fields.score", "between", fc.tuple(any([-2, 0]), any([0, 7]))),
  ...["is", "before", "after"].map((op) => leaf("fields.birthday", op, any(DAYS))),
  leaf("fields.birthday", "between", fc.tuple(any(DAYS), any(DAYS))),
  leaf("fields.birthday", "in_last_days", any([1, 2, 365])),
  leaf("fields.birthday", "in_next_days", any([1, 30])),
  leaf("fields.birthday", "is_not_set"),
  leaf("fields.member", "is", fc.boolean()),
  ...["created_at", "confirmed_at"].flatMap((name) => [
    ...["before", "after"].map((op) => leaf(name, op, any([...DAYS, ...TIMES]))),
    leaf(name, "between", fc.tuple(any([...DAYS, ...TIMES]), any([...DAYS, ...TIMES]))),
    leaf(name, "in_last_days", any([1, 2, 300])),
    leaf(name, "not_in_last_days", any([1, 2, 300])),
    leaf(name, "is_set"),
  ]),
  leaf("status", "is", any(STATUSES)),
  leaf("status", "is_not", any(STATUSES)),
  leaf("status", "one_of", fc.array(any(STATUSES), { minLength: 1, maxLength: 3 })),
  ...["has", "has_not"].map((op) => leaf("tag", op, any([...TAGS, "VIP", "nobody's"]))),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    condition,
    fc.record({ all: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie("tree") }),
  ),
}));

test("the compiled SQL agrees with a naive evaluator on random trees and rows", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 20 }),
      fc.array(tree, { minLength: 5, maxLength: 10 }),
      async (people, trees) => {
        await fill(people);
        for (const input of trees) {
          const read = readRules(input, fields, "");
          assert.ok("rule" in read, JSON.stringify(read));
          const condition = compileRule(read.rule, { fields, now: NOW, timeZone: TIME_ZONE });
          const rows = await db.many<{ n: number }>(sql`
          select (s.fields ->> '0')::int as n from subscribers s
          where s.account_id = ${accountId} and s.list_id = ${lists[0]} and ${condition}`);
          const expected = people.flatMap((one, n) =>
            one.lists.includes(0) &&
            evaluateRule(read.rule, one, { fields, now: NOW, timeZone: TIME_ZONE, lists })
              ? [n]
              : [],
          );
          assert.deepEqual(
            rows.map(({ n }) => n).sort((a, b) => a - b),
            expected,
            JSON.stringify(input),
          );
          assert.match(
            describeRule(read.rule, { fields, lists: new Map(), campaigns: new Map() }),
            /^\(*[A-Z].*\.$/u,
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("no rule reaches another account, whatever it names", async () => {
  const all: Rule = { not: { field: "email", op: "is", value: "nobody" } };
  const compiled = compileRule(all, { fields, now: NOW, timeZone: TIME_ZONE });
  await fill([{ ...fc.sample(person, 1)[0], lists: [0] } as Person]);
  const { count } = await db.one<{ count: number }>(countStatement(otherAccountId, null, compiled));
  assert.equal(count, 0);
});

test("what a client writes is never SQL", async () => {
  const hostile = "x'); drop table subscribers; --";
  for (const input of [
    { field: "first_name", op: "is", value: hostile },
    { field: "first_name", op: "one_of", value: [hostile] },
    { field: "tag", op: "has", value: "x') or true; --" },
  ]) {
    const read = readRules(input, fields, "");
    assert.ok("rule" in read);
    const compiled = compileRule(read.rule, { fields, now: NOW, timeZone: TIME_ZONE });
    assert.ok(!compiled.text.includes("drop table") && !compiled.text.includes("or true"));
    assert.equal((await db.one<{ count: number }>(countStatement(accountId, null, compiled))).count, 0);
  }
});

test("every fault is named at its place", () => {
  const faultsOf = (input: unknown) => {
    const read = readRules(input, fields, "/rules");
    return "faults" in read ? read.faults.map(({ pointer, code }) => `${pointer} ${code}`) : [];
  };
  assert.deepEqual(
    faultsOf({
      all: [
        { field: "shoe_size", op: "is", value: 1 },
        { field: "email", op: "above", value: 1 },
      ],
    }),
    ["/rules/all/0/field unknown_field", "/rules/all/1/op invalid_value"],
  );
  assert.deepEqual(faultsOf({ field: "fields.score", op: "is", value: "7" }), ["/rules/value invalid_value"]);
  assert.deepEqual(faultsOf({ all: [] }), ["/rules/all too_few"]);
  assert.deepEqual(faultsOf("x"), ["/rules invalid_type"]);
  assert.deepEqual(faultsOf({ field: "__proto__", op: "is", value: "x" }), ["/rules/field unknown_field"]);
  let deep: unknown = { field: "email", op: "is_set" };
  for (let n = 0; n < 20; n++) deep = { not: deep };
  assert.match(String(faultsOf(deep)), /too_deep/);
  assert.match(String(faultsOf({ all: Array(101).fill({ field: "email", op: "is_set" }) })), /too_many/);
});

test("the sentence says what the rules say", () => {
  const rule: Rule = {
    all: [
      { field: "status", op: "is", value: "active" },
      {
        any: [
          { field: "tag", op: "has", value: "vip" },
          { field: "created_at", op: "in_last_days", value: 30 },
        ],
      },
    ],
  };
  assert.equal(
    describeRule(rule, { fields, lists: new Map(), campaigns: new Map() }),
    "The status is “active” and (has the tag “vip” or the day of sign-up is in the last 30 days).",
  );
});

async function fill(people: readonly Person[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`delete from subscriber_tags where account_id = ${accountId}`);
    await tx.execute(sql`delete from subscribers where account_id = ${accountId}`);
    const rows = people.flatMap((one, n) => {
      const contactId = newId(systemClock);
      return one.lists.map((list) => ({
        ...one,
        id: newId(systemClock),
        contact_id: contactId,
        list_id: lists[list],
        fields: withoutNulls({ 0: n, 1: one.note, 2: one.score, 3: one.birthday, 4: one.member }),
      }));
    });
    await tx.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, first_name, last_name, fields,
        locale, time_zone, status, source, confirmed_at, unsubscribed_at, created_at, updated_at)
      select ${accountId}, id, list_id, contact_id, email, email, first_name, last_name, fields, locale, time_zone, status,
        source, confirmed_at, unsubscribed_at, created_at, updated_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (id uuid, list_id uuid, contact_id uuid, email text,
        first_name text, last_name text, fields jsonb, locale text, time_zone text, status text, source text,
        confirmed_at timestamptz, unsubscribed_at timestamptz, created_at timestamptz, updated_at timestamptz)`);
    const taggings = rows.flatMap((row) =>
      row.tags.map((tag) => ({ id: row.id, list_id: row.list_id, key: tagKey(tag) })),
    );
    await tx.execute(sql`
      insert into tags (account_id, id, name, name_key, created_at)
      select ${accountId}, gen_random_uuid(), name, name, now() from unnest(${TAGS.map(tagKey)}::text[]) as name
      on conflict do nothing`);
    await tx.execute(sql`
      insert into subscriber_tags (account_id, subscriber_id, tag_id, list_id, created_at)
      select ${accountId}, new.id, t.id, new.list_id, now()
      from jsonb_to_recordset(${JSON.stringify(taggings)}::jsonb) as new (id uuid, list_id uuid, key text)
      join tags t on t.account_id = ${accountId} and t.name_key = new.key`);
  });
}

function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
