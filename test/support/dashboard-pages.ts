/** Goes through every page of the dashboard, with data in it, for whoever wants to look at each. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { visitCampaigns } from "./dashboard-campaign-pages.ts";
import { visitComposer } from "./dashboard-composer-pages.ts";
import { visitEditor } from "./dashboard-editor-pages.ts";
import { visitImports } from "./dashboard-import-pages.ts";
import { visitRecipients } from "./dashboard-recipients-pages.ts";
import { visitReports } from "./dashboard-report-pages.ts";
import { visitSending } from "./dashboard-sending-pages.ts";
import { until } from "./until.ts";

export type Visit = {
  page: Page;
  baseUrl: string;
  /** The link of the first start; a second visitor signs in as the owner whom the first one made. */
  setupLink: string;
  key: string;
  password: string;
};

/** Whom the first visit makes the owner. */
export const OWNER = "ada@fernhill.example";
/** What has broken pages before: long, right-to-left, and what looks like markup. */
const AWKWARD = [
  {
    email: "priya.nair@posteo.example",
    first_name: "Priya",
    last_name: "Nair",
    tags: ["letter", "winter-2025", "poetry-club"],
  },
  {
    email: "long@example.com",
    first_name: "N".repeat(100),
    last_name: "M".repeat(100),
    tags: ["t".repeat(64)],
  },
  { email: "rtl@example.com", first_name: "محمد", last_name: "العربي 🐎", tags: ["🐎"] },
  { email: "markup@example.com", first_name: "<script>alert(1)</script>", last_name: "javascript:alert(1)" },
];

/** Calls `look` on each page once it is at rest, with the page's name. */
export async function visitPages(visit: Visit, look: (name: string) => Promise<void>): Promise<void> {
  const { page, baseUrl } = visit;
  const go = async (path: string, heading: string) => {
    await page.goto(baseUrl + path);
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
  };
  await comeIn(visit, look);
  await lookAtHome(visit, look);
  const subscriber = await fill(visit);
  await go("/subscribers", "Subscribers");
  await look("subscribers");
  await page.goto(`${baseUrl}/subscribers?status=bounced`);
  await page.getByRole("heading", { name: "Nobody matches" }).waitFor();
  await look("subscribers-none");
  await go(`/subscribers/${subscriber}`, "Priya Nair");
  await look("subscriber");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").waitFor();
  await look("subscriber-edit");
  await go("/inbox?to=priya.nair@posteo.example", "Sandbox inbox");
  await look("inbox");
  await page
    .getByRole("link", { name: /priya.nair@posteo.example/ })
    .first()
    .click();
  await page.locator("iframe").waitFor();
  await page.waitForLoadState("networkidle");
  await look("inbox-message");
  const segment = await makeSegment(visit);
  await go(`/segments/${segment}`, "Keen readers near Leeds");
  await look("segment");
  for (const [path, heading] of [
    ["/segments", "Segments"],
    ["/segments/new", "New segment"],
    ["/lists", "Lists"],
    ["/fields", "Fields"],
    ["/suppressions", "Suppressions"],
    ["/api-keys", "API keys"],
    ["/events", "Events"],
    ["/settings/account", "Settings"],
    ["/settings/people", "Settings"],
    ["/settings/sender", "Settings"],
    ["/settings/transports", "Settings"],
    ["/settings/transports/new", "Settings"],
    ["/settings/branding", "Settings"],
    ["/settings/tracking", "Settings"],
    ["/settings/guardrails", "Settings"],
    ["/settings/health", "Settings"],
    ["/settings/profile", "Settings"],
    ["/settings/appearance", "Settings"],
  ] as const) {
    await go(path, heading);
    await look(path.slice(1).replaceAll("/", "-"));
  }
  await go("/settings/transports", "Settings");
  await page.getByRole("link", { name: "Our relay" }).click();
  await page.getByRole("heading", { name: "Our relay", level: 2 }).waitFor();
  await page.waitForLoadState("networkidle");
  await look("settings-transport");
  await visitComposer(page, baseUrl, look);
  await visitEditor(page, look);
  await visitImports(page, baseUrl, look);
  await visitCampaigns(page, baseUrl, caller(visit), look);
  await visitRecipients(page, baseUrl, caller(visit), look);
  await visitSending(page, baseUrl, caller(visit), look);
  await visitReports(page, baseUrl, caller(visit), look);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("priya.nair@posteo.example");
  await page.getByRole("option", { name: /Priya Nair/ }).waitFor();
  await look("palette");
  await page.keyboard.press("Escape");
  await page.goto(`${baseUrl}/nowhere`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await look("not-found");
}

async function comeIn({ page, baseUrl, setupLink, password }: Visit, look: (name: string) => Promise<void>) {
  await page.goto(setupLink);
  const title = page.getByRole("heading", { level: 1 });
  await title.waitFor();
  if ((await title.innerText()) === "Make this yours") {
    await page.getByLabel("What is it called?").fill("Fernhill Books");
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Your name").fill("Ada Marsh");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await look("set-up");
    await page.getByRole("button", { name: "Open the dashboard" }).click();
    await page.waitForURL(`${baseUrl}/`);
    return;
  }
  await look("set-up-used");
  await page.goto(`${baseUrl}/lists`);
  await page.getByLabel("E-mail address").fill(OWNER);
  await page.getByLabel("Password", { exact: true }).fill("a wrong password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await look("sign-in");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${baseUrl}/lists`);
}

/** Looks at Home in the first days, with each step that has something to show, and then at work, with what needs somebody. */
async function lookAtHome(visit: Visit, look: (name: string) => Promise<void>): Promise<void> {
  const { page, baseUrl } = visit;
  const call = caller(visit);
  const checklist = (dismissed: boolean) => call("PATCH", "/v1/account", { checklist: { dismissed } });
  const open = async (waitFor: string) => {
    await page.goto(baseUrl);
    await page.getByRole("heading", { name: waitFor }).first().waitFor();
    await page.waitForLoadState("networkidle");
  };
  await checklist(false);
  await call("PATCH", "/v1/account", { from_email: null, tracking: null });
  await open("Rather by API?");
  await look("home-first-run");
  await page.getByRole("button", { name: "Choose how to track" }).click();
  await look("home-tracking");
  const { campaign_id: id } = await call("POST", "/v1/sample_data");
  await call("POST", `/v1/campaigns/${id}/send`);
  await until(async () => (await call("GET", `/v1/campaigns/${id}`)).status === "sent", 30_000);
  await open("Recent campaigns");
  await look("home-first-sent");
  await checklist(true);
  const { list_id } = await call("GET", "/v1/sample_data");
  const draft = {
    name: "A letter that waits ".repeat(8).trim(),
    list_id,
    subject: "News",
    html: "<p>News</p>",
  };
  const { id: waiting } = await call("POST", "/v1/campaigns", draft);
  await call("POST", `/v1/campaigns/${waiting}/schedule`, { send_at: new Date(Date.now() + 3_600_000) });
  await call("POST", `/v1/campaigns/${waiting}/pause`);
  await open("Needs you");
  await look("home");
  await page.goto(`${baseUrl}/?remove=sample`);
  await page.getByRole("dialog").waitFor();
  await look("sample-remove");
  await call("DELETE", "/v1/sample_data");
}

function caller({ baseUrl, key }: Visit) {
  return async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return JSON.parse((await answer.text()) || "null");
  };
}

/** Makes a segment with rules of many kinds, once; returns its id. */
async function makeSegment(visit: Visit): Promise<string> {
  const call = caller(visit);
  const { data } = await call("GET", "/v1/segments");
  if (data.length > 0) return data[0].id;
  const rules = {
    all: [
      { field: "fields.orders", op: "at_least", value: 2 },
      { field: "opened", op: "not_in_last_days", value: 60 },
      {
        any: [
          { field: "fields.city", op: "one_of", value: ["Leeds", "Otley", "Ilkley"] },
          { not: { field: "tag", op: "has", value: "t".repeat(64) } },
          { field: "created_at", op: "between", value: ["2026-01-01", "2026-11-14"] },
        ],
      },
      { field: "status", op: "one_of", value: ["active", "pending"] },
    ],
  };
  return (await call("POST", "/v1/segments", { name: "Keen readers near Leeds", rules })).id;
}

/** Puts data into the account, once; returns the id of one subscriber. */
async function fill(visit: Visit): Promise<string> {
  const call = caller(visit);
  const found = await call("GET", `/v1/subscribers/search?email=${AWKWARD[0]?.email}`);
  if (found.data.length > 0) return found.data[0].id;
  const { data: lists } = await call("GET", "/v1/lists");
  await call("POST", "/v1/lists", {
    name: "A list with quite a long name ".repeat(6).trim(),
    double_opt_in: true,
  });
  await call("POST", "/v1/fields", { key: "city", name: "City", type: "text" });
  await call("POST", "/v1/fields", { key: "orders", name: "Orders", type: "number" });
  const ids: string[] = [];
  for (const person of AWKWARD) {
    const made = await call("POST", "/v1/subscribers", {
      ...person,
      list_id: lists[0].id,
      fields: { city: "Otley", orders: 7 },
      consent: { attested: true, source: "shop", wording: "Send me the weekly letter." },
    });
    assert.ok(made.id, JSON.stringify(made));
    ids.push(made.id);
  }
  for (let n = 0; n < 60; n++) {
    await call("POST", "/v1/subscribers", {
      email: `reader-${n}@example.com`,
      list_id: lists[0].id,
      tags: ["letter"],
    });
  }
  const campaign = await call("POST", "/v1/campaigns", {
    name: "Winter catalogue, early readers",
    list_id: lists[0].id,
    subject: "{{ first_name | default: 'Reader' }}, before the shop opens its doors",
    html: "<h1>The winter catalogue is yours first</h1><p>Dear {{ first_name }}, the shop opens on Thursday.</p>",
  });
  await call("POST", `/v1/campaigns/${campaign.id}/test`, { to: [AWKWARD[0]?.email] });
  await call("POST", "/v1/suppressions", { email: "nobody@example.com" });
  await call("POST", "/v1/users", { email: "somebody@fernhill.example", name: "Ben ".repeat(20) });
  await call("POST", "/v1/transports", { name: "Our relay", host: "smtp.example.com" });
  await call("POST", "/v1/api_keys", { name: "Shop", scopes: ["subscribers:read", "subscribers:write"] });
  return ids[0] ?? "";
}
