/** Gives a campaign that was really sent the numbers of a large one, as its senders and counters would have left them. */
import assert from "node:assert/strict";
import { sql } from "../../src/platform/db/db.ts";
import type { TestApp } from "./app.ts";
import { makeCampaign, readCampaign } from "./campaigns.ts";
import { type Json, uuidOf } from "./subscribers.ts";
import { until } from "./until.ts";

const HOUR_MS = 3_600_000;

export async function sendCampaign(app: TestApp, listId: string, more: Json = {}): Promise<string> {
  const { id } = await makeCampaign(app, listId, more);
  const reply = await app.api("POST", `/v1/campaigns/${id}/send`);
  assert.equal(reply.status, 202, reply.text);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  const source = uuidOf("cmp", id);
  // What is counted by domain at its end would come in between.
  await until(async () => {
    const rows = await app.db.many(sql`select from source_domains where source_id = ${source}`);
    return rows.length > 0;
  });
  return id;
}

export type Numbers = {
  readonly hoursAgo: number;
  readonly skipped: number;
  /** By domain: sent, failed for good, opened by people, clicked by people. */
  readonly domains: Readonly<Record<string, readonly [number, number, number, number]>>;
  readonly machines: number;
  readonly unsubscribed: number;
  /** Of each link, by its number: clicked by people, and clicks by machines. */
  readonly links: Readonly<Record<number, readonly [number, number]>>;
  readonly hours: number;
};

const sumOf = (rows: readonly (readonly number[])[], at: number) =>
  rows.reduce((sum, row) => sum + (row[at] ?? 0), 0);

export async function giveNumbers(
  app: Pick<TestApp, "db" | "accountId">,
  campaignId: string,
  numbers: Numbers,
): Promise<void> {
  const account = uuidOf("acc", app.accountId);
  const source = uuidOf("cmp", campaignId);
  const at = new Date(Math.floor((Date.now() - numbers.hoursAgo * HOUR_MS) / HOUR_MS) * HOUR_MS);
  const rows = Object.values(numbers.domains);
  const [sent, failed, opened, clicked] = [0, 1, 2, 3].map((one) => sumOf(rows, one)) as [
    number,
    number,
    number,
    number,
  ];
  const { skipped, machines, unsubscribed } = numbers;
  const machineClicks = sumOf(Object.values(numbers.links), 1);
  await app.db.transaction(async (tx) => {
    const of = sql`account_id = ${account} and source_id = ${source}`;
    await tx.execute(sql`update campaigns set started_at = ${at}, finished_at = ${new Date(at.getTime() + HOUR_MS)}
      where account_id = ${account} and id = ${source}`);
    await tx.execute(
      sql`update sources set launched_at = ${at} where account_id = ${account} and id = ${source}`,
    );
    await tx.execute(sql`update plans set recipients = ${sent + failed + skipped} where ${of}`);
    await tx.execute(sql`delete from counters where ${of}`);
    await tx.execute(sql`delete from source_domains where ${of}`);
    for (const [what, count] of Object.entries({
      sent,
      failed,
      "bounce.hard": failed,
      "skipped.suppressed": skipped,
    }))
      await tx.execute(sql`
        insert into counters (account_id, source_id, worker_id, what, count)
        values (${account}, ${source}, gen_random_uuid(), ${what}, ${count})`);
    await tx.execute(sql`
      insert into source_unsubscribes (account_id, source_id, contact_id, at)
      select ${account}, ${source}, gen_random_uuid(), ${at} from generate_series(1, ${unsubscribed}::int)`);
    for (const [domain, [gone, back]] of Object.entries(numbers.domains))
      await tx.execute(sql`
        insert into source_domains (account_id, source_id, domain, recipients, sent, deferred, failed, unknown, skipped, hard,
                                    soft, block, counted_at)
        values (${account}, ${source}, ${domain}, ${gone + back}, ${gone}, 0, ${back}, 0, 0, ${back}, 0, 0, ${at})`);
    type Sums = readonly [opens: number, openedBy: number, clicks: number, clickedBy: number];
    const parts = new Map<string, Sums>([
      ["", [opened + machines, opened, clicked + machineClicks, clicked]],
    ]);
    for (const [domain, [, , opens, clicks]] of Object.entries(numbers.domains))
      parts.set(`domain ${domain}`, [opens, opens, clicks, clicks]);
    for (const [link, [people, fetched]] of Object.entries(numbers.links))
      parts.set(`link ${link}`, [0, 0, people + fetched, people]);
    const shares = Array.from({ length: numbers.hours }, (_, hour) => Math.exp(-hour / 7));
    const whole = shares.reduce((sum, share) => sum + share, 0);
    for (const [hour, share] of shares.entries()) {
      const part = `quarter ${new Date(at.getTime() + hour * HOUR_MS).toISOString()}`;
      const round = (count: number) => Math.round((count * share) / whole);
      // Machines look soon.
      const early = Math.round(machines * 0.5 ** (hour + 1));
      parts.set(part, [round(opened) + early, round(opened), round(clicked), round(clicked)]);
    }
    for (const [part, [opens, people, clicks, clickers]] of parts)
      await tx.execute(sql`
        insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers,
                                     human_clicks, human_clickers, first_at, last_at, last_click_at)
        values (${account}, ${source}, ${part}, ${opens}, ${opens}, ${people}, ${people}, ${clicks}, ${clicks}, ${clickers},
                ${clickers}, ${at}, ${new Date(at.getTime() + numbers.hours * HOUR_MS)}, ${at})
        on conflict (account_id, source_id, part) do nothing`);
  });
}

/** A letter of half a million, as the pictures of the report have it. */
export const LARGE: Numbers = {
  hoursAgo: 75,
  skipped: 3_890,
  domains: {
    "gmail.com": [201_144, 430, 98_160, 17_298],
    "outlook.com": [99_310, 440, 40_717, 7_051],
    "icloud.com": [61_877, 120, 32_361, 5_507],
    "yahoo.com": [48_120, 1_032, 19_200, 2_887],
    "btinternet.com": [18_420, 132, 8_768, 1_418],
    "posteo.example": [48_733, 44, 20_970, 3_570],
  },
  machines: 131_906,
  unsubscribed: 573,
  links: { 0: [18_204, 96], 1: [9_120, 40], 2: [3_960, 22], 3: [5_846, 12], 4: [601, 0] },
  hours: 70,
};

const cover = (colour: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="110" height="150"><rect width="110" height="150" fill="${colour}"/></svg>`)}`;

/** A button, three pictures, the same address again as text, one with Liquid, and the way out. */
export const LETTER =
  '<style>p > :not(a, img, br) { display: none !important } p > *::before { content: "9" !important }</style>' +
  '<div style="font: 16px/1.5 Georgia, serif; padding: 20px; background: #ffffff; color: #211e1a">' +
  "<p style='text-align: center; letter-spacing: .16em'>FERNHILL BOOKS</p><h1 style='font-weight: 400'>The year’s strangest cookbook</h1>" +
  "<p>Dear {{ first_name | default: 'reader' }},<br>Forty-one recipes, none of which can be cooked. We loved it.</p>" +
  '<p style="text-align: center"><a href="https://fernhill.example/letter/211" style="display: inline-block; background: #1f3a5f; color: #ffffff; padding: 12px 22px">Read the letter</a></p><p>' +
  ["salt-road,#1f3a5f", "three-roofs,#b4472f", "small-garden,#e3d7b5"]
    .map((one) => one.split(","))
    .map(
      ([name, colour]) =>
        `<a href="https://fernhill.example/b/${name}"><img src="${cover(colour ?? "")}" alt="${name}" width="100" style="display: inline-block !important"></a> `,
    )
    .join("") +
  '</p><p>Or <a href="https://fernhill.example/letter/211">read it in a browser</a>, or see <a href="https://fernhill.example/for/{{ first_name }}">yours</a>.</p>' +
  '<p style="font-size: 12px">Fernhill Books, 14 Bondgate, Otley. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p></div>';
