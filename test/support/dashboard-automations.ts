/** What the tests of automations in the dashboard have in common: drafts, people put onto steps, sums, and looks. */
import type { Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import type { WatchedPage } from "./browser.ts";
import { assertAccessible, type Dashboard } from "./dashboard.ts";
import { uuidOf } from "./subscribers.ts";
import { until } from "./until.ts";

const DAY_MS = 24 * 3_600_000;

type Mailed = {
  readonly sent: number;
  readonly opened: number;
  readonly clicked: number;
  readonly left: number;
};

const mail = (subject: string, next: string) => ({
  type: "email",
  subject,
  html: `<p>${subject}</p>`,
  next,
});

/** A mail, a wait, a question with two ways, and what they come to. */
export const WELCOME = {
  format: 1,
  start: "hello",
  entry: { on: [{ type: "list_joined" }] },
  nodes: {
    hello: mail("Welcome, reader", "pause"),
    pause: { type: "wait", for: "P3D", at: "09:00", next: "ask" },
    ask: {
      type: "branch",
      ways: [{ if: { field: "tag", op: "has", value: "vip" }, next: "lend" }],
      else: "why",
    },
    lend: mail("Three we would lend you", "order"),
    order: { type: "goal", name: "First order", next: "end" },
    why: mail("Was it something we wrote?", "end"),
    end: { type: "end" },
  },
};

export function automationsOf(dashboard: Dashboard, { page }: WatchedPage, listId: string) {
  const { app } = dashboard;
  const account = uuidOf("acc", app.accountId);
  const read = (id: string) => dashboard.ask("GET", `/v1/automations/${id}`);
  return {
    read,
    made: async (draft: object, name = "Welcome"): Promise<string> =>
      (await dashboard.ask("POST", "/v1/automations", { name, list_id: listId, draft })).id,
    go: async (path: string) => {
      await page.goto(app.baseUrl + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
    isSaved: (id: string, wanted: (found: Awaited<ReturnType<typeof read>>) => boolean) =>
      until(async () => wanted(await read(id))),
    /** Adds to the sums, as if people had gone that way. */
    async count(id: string, sums: readonly (readonly [node: string, what: string, count: number])[]) {
      for (const [node, what, count] of sums)
        await app.db.execute(sql`
          insert into automation_counts as known (account_id, automation_id, node, what, shard, count)
          values (${account}, ${uuidOf("aut", id)}, ${node}, ${what}, 0, ${count})
          on conflict (account_id, automation_id, node, what, shard) do update set count = known.count + ${count}`);
    },
    /** Makes the mails of a step as many as these, once it has sent one. */
    async mailed(id: string, node: string, { sent, opened, clicked, left }: Mailed) {
      const wave = sql`select source_id from automation_waves where automation_id = ${uuidOf("aut", id)} and node = ${node}`;
      await until(async () => {
        const { count } = await app.db.one<{ count: number }>(
          sql`select coalesce(sum(count), 0)::int as count from counters where what = 'sent' and source_id in (${wave})`,
        );
        return count > 0;
      });
      await app.db.execute(
        sql`update counters set count = ${sent} where what = 'sent' and source_id in (${wave})`,
      );
      await app.db.execute(sql`update plans set recipients = ${sent} where source_id in (${wave})`);
      await app.db.execute(sql`
        insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers,
          human_clicks, human_clickers, first_at, last_at)
        select ${account}, source_id, '', ${opened}, ${opened}, ${opened}, ${opened}, ${clicked}, ${clicked}, ${clicked}, ${clicked},
          now(), now()
        from (${wave}) as w`);
      await app.db.execute(sql`
        insert into source_unsubscribes (account_id, source_id, contact_id, at)
        select ${account}, source_id, gen_random_uuid(), now() from (${wave}) as w, generate_series(1, ${left})`);
    },
    /** Puts somebody onto a step, as if they had come to it yesterday. */
    async put(id: string, node: string, email: string, dueInMs = DAY_MS): Promise<string> {
      const subscriber = await dashboard.ask("POST", "/v1/subscribers", { email, list_id: listId });
      const yesterday = new Date(Date.now() - DAY_MS);
      const runId = newId(systemClock);
      await app.db.execute(sql`
        insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
        values (${account}, ${uuidOf("aut", id)}, ${runId}, ${uuidOf("sub", subscriber.id)}, 1, ${node}, ${yesterday},
          ${yesterday}, ${new Date(Date.now() + dueInMs)})`);
      await this.count(id, [
        ["", "entered", 1],
        [node, "entered", 1],
      ]);
      return toPublicId("run", runId);
    },
    looks: (
      name: string,
      schemes: readonly ("light" | "dark")[] = ["light", "dark"],
      widths: readonly number[] = [1_280, 360],
    ) => looksOf(page, name, schemes, widths),
  };
}

/** Holds the page against axe in these colours and widths; with `PICTURES=folder` it is also pictured. */
async function looksOf(
  page: Page,
  name: string,
  schemes: readonly ("light" | "dark")[],
  widths: readonly number[],
): Promise<void> {
  const folder = process.env["PICTURES"];
  for (const colorScheme of schemes) {
    for (const width of widths) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(50);
      if (folder)
        await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
      await assertAccessible(page, `${name}, ${colorScheme}, ${width}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1_280, height: 900 });
}
