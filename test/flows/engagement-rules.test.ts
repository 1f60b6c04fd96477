/** Segments by what people were sent, opened and clicked, held against a naive reading of the same rules. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { createAccount } from "../../src/accounts/accounts.ts";
import { sentCampaigns } from "../../src/campaigns/campaigns.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Ctx } from "../../src/platform/context.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { readRules } from "../../src/subscribers/segments/rules.ts";
import { compileFor } from "../../src/subscribers/segments/segments.ts";
import { forgetEngagementIn, linkKeyOf, recordEngagement } from "../../src/subscribers/subscribers.ts";
import { cloneDatabase } from "../support/database.ts";
import { type Action, type Campaign, matches, type Reader } from "../support/engagement.ts";

const NOW = new Date("2026-11-15T10:30:00.000Z");
const HOUR_MS = 3_600_000;
const URLS = ["https://example.com/one", "https://example.com/two"];
const LEDGER_DAYS = 396;
const daysBefore = (days: number) => new Date(NOW.getTime() - days * 24 * HOUR_MS);
const lists = [newId(systemClock), newId(systemClock)];
const log = createLog({ level: "silent", pretty: false });

type Sending = Campaign & { sources: readonly string[]; tracking: object; links: readonly string[] };
const campaign = (
  list: number,
  daysAgo: number,
  tracking: object,
  sources = 1,
  links: readonly string[] = URLS,
): Sending => {
  const {
    opens,
    clicks,
    mode = "individual",
  } = tracking as { opens: boolean; clicks: boolean; mode?: string };
  const id = newId(systemClock);
  const others = Array.from({ length: sources - 1 }, () => newId(systemClock));
  const seen = mode === "individual" ? "all" : mode === "consented" ? "consenting" : "nobody";
  return {
    id,
    list,
    daysAgo,
    tracking,
    links,
    sources: [id, ...others],
    opens: opens ? seen : "nobody",
    // Nobody is judged by mail in which there was nothing to click.
    clicks: clicks && links.length > 0 ? seen : "nobody",
  };
};
const ALL = { opens: true, clicks: true };
const campaigns = [
  campaign(0, 2, ALL),
  campaign(0, 10, ALL, 2),
  campaign(0, 20, { opens: false, clicks: true }),
  campaign(0, 40, { ...ALL, mode: "aggregate" }),
  campaign(0, 100, { ...ALL, mode: "individual" }),
  campaign(0, 500, ALL),
  campaign(1, 5, ALL),
  campaign(1, 50, { opens: false, clicks: false }),
  campaign(0, 30, { ...ALL, mode: "consented" }),
  campaign(0, 15, ALL, 1, []),
];
const world = { campaigns, ledgerDays: LEDGER_DAYS };
const draft = newId(systemClock);

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let accountId: string;
let ctx: Ctx;
before(async () => {
  database = await cloneDatabase();
  const connection = database.url;
  db = createDb({ connection, poolSize: 4, applicationName: "test", log, statementTimeoutMs: 20_000 });
  const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Mine" }));
  accountId = account.account_id;
  const clock = { ...systemClock, now: () => NOW };
  ctx = { sql: db, accountId, actor: { kind: "system", id: null }, clock, log };
  await db.execute(sql`
    insert into lists (account_id, id, name, double_opt_in, created_at, updated_at)
    select ${accountId}, id, 'A list', false, now(), now() from unnest(${lists}::uuid[]) as id`);
  for (const [n, one] of campaigns.entries()) await addSources(one, n);
});
after(async () => {
  await db.close();
  await database.drop();
});

async function addSources(
  { id, list, daysAgo, sources, tracking, links }: Sending,
  n: number,
): Promise<void> {
  const content = { n, tracking, compiled: { links: links.map((url) => ({ url, isDynamic: false })) } };
  await db.execute(sql`
    insert into revisions (account_id, id, digest, content, created_at)
    values (${accountId}, ${id}, ${Buffer.from([n])}, ${JSON.stringify(content)}::jsonb, now())`);
  for (const [index, sourceId] of sources.entries()) {
    await db.execute(sql`
      insert into sources (account_id, id, stream, state, list_id, on_ambiguous, launched_at, revision_id, owner_id)
      values (${accountId}, ${sourceId}, 'campaign', ${index === sources.length - 1 ? "finished" : "superseded"},
              ${lists[list]}, 'resend', ${new Date(daysBefore(daysAgo).getTime() + index)}, ${id}, ${id})`);
  }
}

const action: fc.Arbitrary<Action> = fc
  .record({
    link: fc.option(fc.constantFrom(...URLS), { nil: null }),
    hoursAgo: fc.constantFrom(1, 30, 24 * 15, 24 * 60, 24 * 200),
    by: fc.constantFrom("human" as const, "machine" as const, "prefetch" as const),
  })
  .map(({ link, hoursAgo, by }) => ({
    kind: link ? ("click" as const) : ("open" as const),
    url: link,
    hoursAgo,
    by: link && by === "prefetch" ? ("machine" as const) : by,
  }));
const anybody = fc.constantFrom(0, 1).chain((list) =>
  fc.record({
    list: fc.constant(list),
    createdDaysAgo: fc.constantFrom(1000, 1000, 1000, 15),
    consent: fc.constantFrom(true, true, false, null, null),
    consentDaysAgo: fc.constantFrom(3, 15, 35, 600),
    mails: fc.uniqueArray(
      fc.record({
        // Most mail is of the own list, but a contact may be on another list too.
        campaign: fc.integer({ min: 0, max: campaigns.length - 1 }),
        state: fc.constantFrom("sent", "sent", "sent", "failed", "skipped", "deferred", "unknown"),
        actions: fc.array(action, { maxLength: 2 }),
      }),
      { selector: (mail) => mail.campaign, maxLength: 5 },
    ),
    wasAsked: fc.boolean(),
  }),
);
const reader: fc.Arbitrary<Reader> = anybody.map(({ wasAsked, mails, ...one }) => ({
  ...one,
  consentDaysAgo: wasAsked || one.consent !== null ? one.consentDaysAgo : null,
  // Nobody opens a mail before it was sent.
  mails: mails.map((mail) => {
    const launchedHoursAgo = (campaigns[mail.campaign] as Sending).daysAgo * 24;
    return { ...mail, actions: mail.actions.filter(({ hoursAgo }) => hoursAgo < launchedHoursAgo) };
  }),
}));

const campaignId = fc
  .constantFrom(...campaigns.map(({ id }) => id), draft)
  .map((id) => toPublicId("cmp", id));
const value = {
  campaign: campaignId,
  link: fc.record({ campaign_id: campaignId, url: fc.constantFrom(...URLS) }),
  any_of_last: fc.constantFrom(1, 2, 3, 50),
  in_last_days: fc.constantFrom(1, 7, 30, 90, 400),
  at_least: fc.record({ mails: fc.constantFrom(1, 2, 3), days: fc.constantFrom(1, 7, 30, 395) }),
};
const leaf = (field: string, op: string, values: fc.Arbitrary<unknown>) =>
  fc.record(
    { field: fc.constant(field), op: fc.constant(op), value: values, machines: fc.boolean() },
    { requiredKeys: ["field", "op", "value"] },
  );
const condition = fc.oneof(
  ...["campaign", "not_campaign"].map((op) =>
    fc.record({ field: fc.constant("sent"), op: fc.constant(op), value: value.campaign }),
  ),
  ...["at_least", "fewer_than"].map((op) =>
    fc.record({ field: fc.constant("sent"), op: fc.constant(op), value: value.at_least }),
  ),
  ...["opened", "clicked"].flatMap((field) => [
    leaf(field, "campaign", value.campaign),
    leaf(field, "not_campaign", value.campaign),
    leaf(field, "any_of_last", value.any_of_last),
    leaf(field, "none_of_last", value.any_of_last),
    leaf(field, "in_last_days", value.in_last_days),
    leaf(field, "not_in_last_days", value.in_last_days),
  ]),
  leaf("clicked", "link", value.link),
  leaf("clicked", "not_link", value.link),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    condition,
    fc.record({ all: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie("tree") }),
  ),
}));

test("rules about mail agree with a naive reading of them, on random people, mail and trees", async () => {
  let matched = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(reader, { minLength: 1, maxLength: 20 }),
      fc.array(tree, { minLength: 8, maxLength: 15 }),
      async (readers, trees) => {
        await fill(readers);
        for (const input of trees) {
          const read = readRules(input, [], "");
          assert.ok("rule" in read, JSON.stringify(read));
          for (const listId of [null, lists[0] as string]) {
            const compiled = await compileFor(ctx, read.rule, { fields: [], sent: sentCampaigns, listId });
            const ofList = listId ? sql`s.list_id = ${listId}` : sql`true`;
            const rows = await db.many<{ n: number }>(sql`
              select (s.fields ->> '0')::int as n from subscribers s
              where s.account_id = ${accountId} and ${ofList} and ${compiled} order by n`);
            const expected: number[] = readers.flatMap((one, n) =>
              (listId === null || one.list === 0) && matches(read.rule, one, world) ? [n] : [],
            );
            assert.deepEqual(
              rows.map(({ n }) => n),
              expected,
              JSON.stringify({ input, readers }),
            );
            matched += rows.length;
          }
        }
      },
    ),
    { numRuns: 60 },
  );
  assert.ok(matched > 100, `only ${matched} matched`);
});

const sent = (index: number, ...actions: Action[]) => ({ campaign: index, state: "sent", actions });
const did = (by: Action["by"], hoursAgo: number, url: string | null = null): Action => ({
  kind: url ? "click" : "open",
  url,
  hoursAgo,
  by,
});
const idOf = (index: number) => toPublicId("cmp", (campaigns[index] as Sending).id);
const noOpenFor90Days = { field: "opened", op: "not_in_last_days", value: 90 };
const noClickFor90Days = { field: "clicked", op: "not_in_last_days", value: 90 };
const notOpened = (index: number) => ({ field: "opened", op: "not_campaign", value: idOf(index) });

/** As the dashboard offers it: two campaigns in 90 days, and nothing that could be seen came of them. */
const winBack = {
  all: [{ field: "sent", op: "at_least", value: { mails: 2, days: 90 } }, noClickFor90Days, noOpenFor90Days],
};

const answered = (consent: boolean | null, consentDaysAgo: number) => ({ consent, consentDaysAgo });

/** A rule, what somebody on the first list was sent and did, whether it matches, and what else is known of them. */
const stories: readonly [string, object, Reader["mails"], boolean, Partial<Reader>?][] = [
  ["who was sent mail and did nothing", noOpenFor90Days, [sent(0)], true],
  ["who was sent nothing", noOpenFor90Days, [], false],
  ["who was mailed often and did nothing", winBack, [sent(0), sent(1)], true],
  ["who was mailed too seldom to be won back", winBack, [sent(0)], false],
  ["whose second mail is older than that", winBack, [sent(0), sent(4)], false],
  ["who clicked once", winBack, [sent(0), sent(1, did("human", 30, URLS[0]))], false],
  ["who opened once", winBack, [sent(0), sent(1, did("human", 30))], false],
  ["whose opens can't be seen, who is not judged", winBack, [sent(0, did("prefetch", 30)), sent(1)], false],
  ["whose clicks only a gateway made", winBack, [sent(0, did("machine", 30, URLS[0])), sent(1)], true],
  [
    "who refused to be tracked, who is not judged",
    winBack,
    [sent(0), sent(1)],
    false,
    { consent: false, consentDaysAgo: 600 },
  ],
  ["whose mails failed", winBack, [sent(0), { campaign: 1, state: "failed", actions: [] }], false],
  ["whose only mail in those days isn't tracked for anybody", noOpenFor90Days, [sent(3)], false],
  ["whose only mail in those days has no pixel", noOpenFor90Days, [sent(2)], false],
  ["the same, asked for clicks", noClickFor90Days, [sent(2)], true],
  ["whose mail Apple fetches ahead", noOpenFor90Days, [sent(0, did("prefetch", 30))], false],
  ["the same, asked for clicks", noClickFor90Days, [sent(0, did("prefetch", 30))], true],
  ["whose mail a gateway opens", noOpenFor90Days, [sent(0, did("machine", 30))], true],
  [
    "the same, machines included",
    { ...noOpenFor90Days, machines: true },
    [sent(0, did("machine", 30))],
    false,
  ],
  ["who clicked, which is an open", noOpenFor90Days, [sent(0, did("human", 30, URLS[0]))], false],
  ["who last opened long ago", noOpenFor90Days, [sent(0), sent(4, did("human", 24 * 99))], true],
  [
    "who opened in person long ago, and whose mail Apple fetches now",
    noOpenFor90Days,
    [sent(0, did("prefetch", 30)), sent(4, did("human", 24 * 99))],
    false,
  ],
  [
    "whose mail was fetched ahead, and who opened another in person since",
    notOpened(1),
    [sent(1, did("prefetch", 200)), sent(0, did("human", 30))],
    false,
  ],
  ["who opened another in person", notOpened(1), [sent(1), sent(0, did("human", 30))], true],
  ["who wasn't sent it", notOpened(1), [sent(0)], false],
  ["whose mail failed", notOpened(1), [{ campaign: 1, state: "failed", actions: [] }], false],
  ["a `not` around opened, for who wasn't sent it", { not: { ...notOpened(1), op: "campaign" } }, [], false],
  ["a `not` around opened, for who was", { not: { ...notOpened(1), op: "campaign" } }, [sent(1)], true],
  ["two `not` around opened", { not: { not: { ...notOpened(1), op: "campaign" } } }, [sent(1)], false],
  [
    "a `not` around two of them",
    {
      not: {
        any: [
          { ...notOpened(0), op: "campaign" },
          { field: "opened", op: "campaign", value: idOf(1) },
        ],
      },
    },
    [sent(0)],
    false,
  ],
  [
    "one of the last two, of which one was opened",
    { field: "opened", op: "any_of_last", value: 2 },
    [sent(1, did("human", 9))],
    true,
  ],
  [
    "the last one, if the one before was opened",
    { field: "opened", op: "any_of_last", value: 1 },
    [sent(1, did("human", 9))],
    false,
  ],
  [
    "none of the last three, if one can be seen",
    { field: "opened", op: "none_of_last", value: 3 },
    [sent(1), sent(2)],
    true,
  ],
  [
    "mail that waits, wasn't sent",
    { field: "sent", op: "not_campaign", value: idOf(0) },
    [{ campaign: 0, state: "deferred", actions: [] }],
    false,
  ],
  [
    "mail that failed, wasn't sent",
    { field: "sent", op: "not_campaign", value: idOf(0) },
    [{ campaign: 0, state: "failed", actions: [] }],
    true,
  ],
  ["mail that the ledger forgot", { field: "sent", op: "not_campaign", value: idOf(5) }, [], false],
  [
    "a campaign that was never launched",
    { field: "sent", op: "not_campaign", value: toPublicId("cmp", draft) },
    [],
    true,
  ],
  [
    "another link of the same mail",
    { field: "clicked", op: "not_link", value: { campaign_id: idOf(0), url: URLS[1] } },
    [sent(0, did("human", 9, URLS[0]))],
    true,
  ],
  ["who agreed before the mail that asks for it", notOpened(8), [sent(8)], true, answered(true, 31)],
  ["who agreed after that mail", notOpened(8), [sent(8)], false, answered(true, 29)],
  ["the same, asked for days", noOpenFor90Days, [sent(8)], false, answered(true, 29)],
  ["the same, asked for clicks", noClickFor90Days, [sent(8)], false, answered(true, 29)],
  ["who agreed between two mails", noOpenFor90Days, [sent(0), sent(8)], true, answered(true, 29)],
  ["who was never asked, of mail that asks for it", notOpened(8), [sent(8)], false],
  ["who refused", notOpened(1), [sent(1)], false, answered(false, 29)],
  ["who refused once, and agreed since the mail", notOpened(1), [sent(1)], false, answered(true, 9)],
  ["whose answer was cleared since the mail", notOpened(1), [sent(1)], false, answered(null, 9)],
  ["whose answer was cleared before the mail", notOpened(1), [sent(1)], true, answered(null, 11)],
  ["who was deleted and added anew since the mail", notOpened(1), [sent(1)], false, { createdDaysAgo: 9 }],
];

async function doesMatch(input: object, one: Reader): Promise<boolean> {
  const read = readRules(input, [], "");
  assert.ok("rule" in read, JSON.stringify(read));
  const compiled = await compileFor(ctx, read.rule, { fields: [], sent: sentCampaigns, listId: null });
  const rows = await db.many(
    sql`select from subscribers s where s.account_id = ${accountId} and ${compiled}`,
  );
  assert.equal(matches(read.rule, one, world), rows.length === 1, "the naive reading differs");
  return rows.length === 1;
}
const nobodyAsked = { list: 0, createdDaysAgo: 1000, consent: null, consentDaysAgo: null };

describe("a rule about mail matches as it should", () => {
  for (const [name, input, mails, expected, about] of stories) {
    test(`${name}: ${JSON.stringify(input).replace(/cmp_\w+/g, "…")} ${expected}`, async () => {
      const one = { ...nobodyAsked, mails, ...about };
      await fill([one]);
      assert.equal(await doesMatch(input, one), expected);
    });
  }
});

describe("whoever refused on another list, by which the last times were deleted, is still known on this one", () => {
  const readers: readonly [string, Action, object][] = [
    ["who opened", did("human", 30), noOpenFor90Days],
    ["who clicked", did("human", 30, URLS[0]), noClickFor90Days],
    ["whose mail is fetched ahead", did("prefetch", 30), noOpenFor90Days],
    ["whose mail a gateway opens", did("machine", 30), { ...noOpenFor90Days, machines: true }],
  ];
  for (const [name, action, rule] of readers) {
    test(name, async () => {
      const one = { ...nobodyAsked, mails: [sent(0, action), sent(6, did("human", 9))] };
      await fill([one]);
      const { contactId } = await db.one<{ contactId: string }>(
        sql`select contact_id as "contactId" from subscribers where account_id = ${accountId}`,
      );
      const campaignIds = campaigns.filter(({ list }) => list === 1).map(({ id }) => id);
      await db.transaction((tx) => forgetEngagementIn(tx, [{ accountId, contactId, campaignIds }]));
      const left = { ...one, mails: [sent(0, action)] };
      assert.equal(await doesMatch(rule, left), false);
    });
  }
});

async function fill(readers: readonly Reader[]): Promise<void> {
  const rows = readers.map((one, n) => ({ ...one, n, id: newId(systemClock), contact: newId(systemClock) }));
  await db.transaction(async (tx) => {
    for (const table of ["subscribers", "deliveries", "contact_engagements", "campaign_engagements"])
      await tx.execute(sql`delete from ${sql([table])} where account_id = ${accountId}`);
    const people = rows.map(({ id, contact, list, n, consent, consentDaysAgo, createdDaysAgo }) => ({
      id,
      contact,
      list: lists[list],
      fields: { 0: n },
      consent,
      answered: consentDaysAgo === null ? null : daysBefore(consentDaysAgo),
      created: daysBefore(createdDaysAgo),
    }));
    await tx.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source,
                               tracking_consent, tracking_consent_at, created_at, updated_at)
      select ${accountId}, id, list, contact, 'x@example.com', 'x@example.com', fields, 'active', 'test', consent, answered,
             created, now()
      from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) as new (id uuid, list uuid, contact uuid, fields jsonb,
        consent boolean, answered timestamptz, created timestamptz)`);
    const mails = rows.flatMap(({ contact, mails, n }) =>
      mails.map(({ campaign: index, state }) => {
        const { sources } = campaigns[index] as Sending;
        return { contact, state, source: sources[n % sources.length] };
      }),
    );
    await tx.execute(sql`
      insert into deliveries (account_id, source_id, contact_id, stream, transport_id, state, changed_at)
      select ${accountId}, source, contact, 'campaign', gen_random_uuid(), state, now()
      from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as new (source uuid, contact uuid, state text)`);
    const hits = rows.flatMap(({ contact, mails }) =>
      mails.flatMap((mail) =>
        mail.actions.map(({ kind, url, hoursAgo, by }) => ({
          accountId,
          contactId: contact,
          campaignId: (campaigns[mail.campaign] as Sending).id,
          kind,
          linkKey: url === null ? null : linkKeyOf(url),
          at: new Date(NOW.getTime() - hoursAgo * HOUR_MS),
          by,
        })),
      ),
    );
    await recordEngagement(tx, systemClock, hits);
  });
}
