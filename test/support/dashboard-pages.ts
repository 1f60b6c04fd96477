/** Goes through every page of the dashboard, with data in it, for whoever wants to look at each. */
import { visitCampaigns } from "./dashboard-campaign-pages.ts";
import { visitComposer } from "./dashboard-composer-pages.ts";
import { visitEditor } from "./dashboard-editor-pages.ts";
import { visitEmails, visitNoEmails } from "./dashboard-email-pages.ts";
import { visitForms, visitInbound } from "./dashboard-form-pages.ts";
import { visitHome } from "./dashboard-home-pages.ts";
import { visitImports } from "./dashboard-import-pages.ts";
import { caller, fill, type Look, makeSegment, type Visit } from "./dashboard-pages-data.ts";
import { visitRecipients } from "./dashboard-recipients-pages.ts";
import { visitReports } from "./dashboard-report-pages.ts";
import { visitSending } from "./dashboard-sending-pages.ts";
import { visitTemplates } from "./dashboard-template-pages.ts";

/** Whom the first visit makes the owner. */
const OWNER = "ada@fernhill.example";

const SETTINGS = [
  "account",
  "people",
  "sender",
  "transports",
  "transports/new",
  "branding",
  "mail-style",
  "words",
  "tracking",
  "guardrails",
  "usage",
  "billing",
  "audit",
  "health",
  "profile",
  "security",
  "appearance",
];

/** Calls `look` on each page once it is at rest, with the page's name. */
export async function visitPages(visit: Visit, look: Look): Promise<void> {
  await comeIn(visit, look);
  for (const part of Object.values(PARTS)) await part(visit, look);
}

/** The pages in parts that take about as long as each other, each for who is signed in. */
export const PARTS = {
  async readers(visit: Visit, look: Look) {
    const { page, baseUrl } = visit;
    await visitHome(visit, look);
    const subscriber = await fill(visit);
    await go(visit, "/subscribers", "Subscribers");
    await look("subscribers");
    await page.goto(`${baseUrl}/subscribers?status=bounced`);
    await page.getByRole("heading", { name: "Nobody matches" }).waitFor();
    await look("subscribers-none");
    await go(visit, `/subscribers/${subscriber}`, "Priya Nair");
    await look("subscriber");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").waitFor();
    await look("subscriber-edit");
    await go(visit, "/inbox?to=priya.nair@posteo.example", "Sandbox inbox");
    await look("inbox");
    await page
      .getByRole("link", { name: /priya.nair@posteo.example/ })
      .first()
      .click();
    await page.locator("iframe").waitFor();
    await page.waitForLoadState("networkidle");
    await look("inbox-message");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill("priya.nair@posteo.example");
    await page.getByRole("option", { name: /Priya Nair/ }).waitFor();
    await look("palette");
    await page.keyboard.press("Escape");
    await page.goto(`${baseUrl}/nowhere`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await look("not-found");
  },

  async tables(visit: Visit, look: Look) {
    await visitNoEmails(visit, look);
    await fill(visit);
    await go(visit, `/segments/${await makeSegment(visit)}`, "Keen readers near Leeds");
    await look("segment");
    for (const [path, heading] of [
      ["/segments", "Segments"],
      ["/segments/new", "New segment"],
      ["/lists", "Lists"],
      ["/fields", "Fields"],
      ["/topics", "Topics"],
      ["/suppressions", "Suppressions"],
      ["/api-keys", "API keys"],
      ["/webhooks", "Webhooks"],
      ["/events", "Events"],
    ] as const) {
      await go(visit, path, heading);
      await look(path.slice(1).replaceAll("/", "-"));
    }
    await visitImports(visit.page, visit.baseUrl, look);
    await visitEmails(visit, look);
    await visitForms(visit, look);
    await visitInbound(visit, look);
  },

  async deliverability(visit: Visit, look: Look) {
    await fill(visit);
    for (const part of ["", "/providers", "/dmarc", "/checklist", "/tests", "/blocklists", "/alerts"]) {
      await go(visit, `/deliverability${part}`, "Deliverability");
      await look(`deliverability${part.replace("/", "-")}`);
    }
  },

  async settings(visit: Visit, look: Look) {
    const { page } = visit;
    await fill(visit);
    await visitTemplates(page, visit.baseUrl, caller(visit), look);
    for (const path of SETTINGS) {
      await go(visit, `/settings/${path}`, "Settings");
      await look(`settings-${path.replaceAll("/", "-")}`);
    }
    await go(visit, "/settings/transports", "Settings");
    await page.getByRole("link", { name: "Our relay" }).click();
    await page.getByRole("heading", { name: "Our relay", level: 2 }).waitFor();
    await page.waitForLoadState("networkidle");
    await look("settings-transport");
  },

  async writing(visit: Visit, look: Look) {
    const { page, baseUrl } = visit;
    await fill(visit);
    await visitComposer(page, baseUrl, look);
    await visitEditor(page, look);
    await visitSending(page, baseUrl, caller(visit), look);
  },

  async campaigns(visit: Visit, look: Look) {
    const { page, baseUrl } = visit;
    await fill(visit);
    await visitCampaigns(page, baseUrl, caller(visit), look);
    await visitRecipients(page, baseUrl, caller(visit), look);
    await visitReports(page, baseUrl, caller(visit), look);
  },
};

async function go({ page, baseUrl }: Visit, path: string, heading: string): Promise<void> {
  await page.goto(baseUrl + path);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
}

/** Makes the owner by the link of the first start, or signs in as the owner where there is one. */
export async function comeIn({ page, baseUrl, setupLink, password }: Visit, look: Look) {
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
  await page.goto(`${baseUrl}/forgotten-password`);
  await page.getByLabel("E-mail address").fill("nobody@fernhill.example");
  await look("forgotten-password");
  await page.getByRole("button", { name: "Mail me a link" }).click();
  await page.getByRole("heading", { name: "Look into your mail" }).waitFor();
  await look("forgotten-password-asked");
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
