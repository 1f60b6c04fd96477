/** Goes through the pages of forms and of what comes back. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { caller, type Look, type Visit } from "./dashboard-pages-data.ts";

const LONG = "What the booksellers of Fernhill read, liked and threw across the room this month";

export async function visitForms(visit: Visit, look: Look): Promise<void> {
  const { page, baseUrl } = visit;
  const ask = caller(visit);
  const { data: lists } = await ask("GET", "/v1/lists");
  const { id } = await ask("POST", "/v1/forms", {
    name: LONG,
    list_id: lists[0].id,
    fields: [{ name: "email" }, { name: "first_name", label: "What may we call you?", required: true }],
    texts: { title: "A letter from the shop floor", consent: "Send me one letter a month." },
    tags: ["shop"],
  });
  assert.match(String(id), /^frm_/);
  await open(page, `${baseUrl}/forms`, "Forms");
  await page.getByRole("link", { name: LONG }).first().waitFor();
  await look("forms");
  await page.getByRole("button", { name: "New form" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  await look("forms-new");
  await open(page, `${baseUrl}/forms/${id}`, LONG);
  await page.frameLocator("iframe.front").getByText("A letter from the shop floor").waitFor();
  await look("form");
}

export async function visitInbound(visit: Visit, look: Look): Promise<void> {
  const { page, baseUrl } = visit;
  const ask = caller(visit);
  await open(page, `${baseUrl}/inbound/mailboxes`, "Mailboxes");
  await look("inbound-mailboxes-none");
  await page.getByRole("button", { name: "New mailbox" }).first().click();
  await page.getByRole("dialog").getByLabel("Server").waitFor();
  await look("inbound-mailboxes-new");
  const { url } = await ask("POST", "/v1/inbound/endpoints", { provider: "postmark", name: "Our Postmark" });
  const posted = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      RecordType: "Bounce",
      Type: "HardBounce",
      TypeCode: 1,
      ID: 42,
      MessageID: "6b4dbe0f-91bc-4ef4-9a4d-1c1f3d2f9a10",
      Email: "gone@example.com",
      Details: "smtp;550 5.1.1 The email account that you tried to reach does not exist.",
      BouncedAt: "2026-11-16T08:00:00Z",
    }),
  });
  assert.equal(posted.status, 200);
  await open(page, `${baseUrl}/inbound/endpoints`, "Providers");
  await page.getByText("Our Postmark").first().waitFor();
  await look("inbound-endpoints");
  await open(page, `${baseUrl}/inbound`, "Inbound");
  const bounce = page.getByRole("link", { name: "Bounce", exact: true }).first();
  // What was posted is read by a job, and the table is read anew when the page is opened.
  for (let tries = 0; tries < 100 && !(await bounce.isVisible()); tries++) {
    await page.reload();
    await page.getByRole("table").waitFor();
  }
  await look("inbound");
  await bounce.click();
  await page.getByRole("heading", { name: "What it says" }).waitFor();
  await look("inbound-item");
}

async function open(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(address);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
}
