/** Goes through the pages of transactional mail: before there is any, with some of each kind, and one of them. */
import assert from "node:assert/strict";
import { caller, type Look, type Visit } from "./dashboard-pages-data.ts";
import { until } from "./until.ts";

const DAY_MS = 86_400_000;
const RECEIPT = {
  from: "Fernhill Books <shop@fernhill.example>",
  reply_to: "Ada at Fernhill <ada@fernhill.example>",
  to: ["Priya Nair <priya.nair@posteo.example>", "bounce@example.com"],
  cc: ["accounts@fernhill.example"],
  subject: "Your receipt for order 4711",
  html: "<h1>Thank you</h1><p>You paid £ 22.60 for <b>The Winter Catalogue</b>.</p><p><a href='https://books.example/order/4711'>Your order</a></p>",
  tags: ["receipt", "shop", "t".repeat(50), "winter-2025"],
  metadata: { order: "4711", ["a-name-without-an-end".padEnd(40, "n")]: "v".repeat(300) },
  attachments: [{ filename: "receipt-4711.pdf", content: "JVBERi0=", content_type: "application/pdf" }],
};
const OTHERS = [
  {
    to: ["reader-1@example.com"],
    subject: "Choose a new password",
    tags: ["password"],
    text: "Follow this.",
  },
  { to: ["bounce+2@example.com"], subject: "<script>alert(1)</script>", text: "Markup" },
  { to: [`${"n".repeat(60)}@example.com`], subject: "S".repeat(400), text: "Long", tags: ["🐎"] },
  { to: ["rtl@example.com"], subject: "إيصالك من المكتبة", text: "محمد" },
  { to: ["defer@example.com"], subject: "Your order is on its way", text: "Soon" },
];

/** Looks at the page before anything is there: a key that is made is a mail to the owners. */
export async function visitNoEmails(visit: Visit, look: Look): Promise<void> {
  const { page, baseUrl } = visit;
  const { data: known } = await caller(visit)("GET", "/v1/emails?limit=1");
  if (known.length > 0) return;
  await page.goto(`${baseUrl}/emails`);
  await page.getByRole("heading", { name: "No mail has been sent this way yet" }).waitFor();
  await look("emails-empty");
}

export async function visitEmails(visit: Visit, look: Look): Promise<void> {
  const { page, baseUrl } = visit;
  const call = caller(visit);
  const { data: known } = await call("GET", "/v1/emails?tag=receipt");
  const receipt = known[0]?.id ?? (await sendAll(call));
  await page.goto(`${baseUrl}/emails?tag=receipt`);
  await page.getByText("Your receipt for order 4711").waitFor();
  await page.goto(`${baseUrl}/emails`);
  await page.getByText("Your order is on its way").waitFor();
  await look("emails");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Filter by").selectOption("metadata");
  await look("emails-filter");
  await page.goto(`${baseUrl}/emails?status=complained`);
  await page.getByRole("heading", { name: "No mail matches" }).waitFor();
  await look("emails-none");
  await page.goto(`${baseUrl}/emails/${receipt}`);
  await page.locator("iframe").waitFor();
  await page.getByText("550 5.1.1").first().waitFor();
  await look("email");
  await page.getByRole("button", { name: "Headers" }).click();
  await page.getByText("Message-ID").last().waitFor();
  await look("email-headers");
}

/** Returns the id of the receipt, once it has left. */
async function sendAll(call: ReturnType<typeof caller>): Promise<string> {
  const planned = { send_at: new Date(Date.now() + DAY_MS).toISOString(), subject: "A notice for tomorrow" };
  const from = "shop@fernhill.example";
  for (const one of OTHERS) assert.ok((await call("POST", "/v1/emails", { from, ...one })).id);
  const later = await call("POST", "/v1/emails", {
    from,
    to: ["reader-2@example.com"],
    text: "x",
    ...planned,
  });
  assert.ok(later.id, JSON.stringify(later));
  const { id } = await call("POST", "/v1/emails", RECEIPT);
  assert.ok(id);
  await until(async () => (await call("GET", `/v1/emails/${id}`)).status === "bounced");
  return id;
}
