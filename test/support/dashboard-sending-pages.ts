/** Goes through the last look before a send, the time in which it can be taken back, and a campaign that waits. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
type Call = (method: string, path: string, body?: unknown) => Promise<any>;
const NAME = "A letter on its way, with quite a long name ".repeat(3).trim();

export async function visitSending(
  page: Page,
  baseUrl: string,
  call: Call,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const draft = await makeDraft(call);
  const dialog = page.getByRole("dialog");
  await page.goto(`${baseUrl}/campaigns/${draft}/edit`);
  await page.getByRole("button", { name: /Review and send/ }).click();
  await dialog.getByText("The sandbox. Nothing leaves this machine.").waitFor();
  await look("send-review");
  await dialog.getByLabel(/^At a time/).check();
  await dialog.getByLabel("When shall it leave?").fill("next Friday at nine");
  await dialog.getByText("In which week?").waitFor();
  await look("send-when");
  await dialog.getByLabel(/^Now/).check();
  await dialog.getByRole("button", { name: "Go on" }).click();
  await dialog.getByRole("button", { name: /^Send to \d+ people/ }).waitFor();
  await look("send-confirm");
  await dialog.getByRole("button", { name: /^Send to \d+ people/ }).click();
  await page.getByRole("button", { name: "Take it back" }).waitFor();
  await page.getByText("Who would get it now").waitFor();
  await look("send-undo");
  await page.getByRole("button", { name: "Change the time" }).click();
  await dialog.getByLabel("When shall it leave?").fill("in 3 days");
  await dialog.getByRole("button", { name: "Plan it" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByText(/in 3 days/).waitFor();
  await look("campaign-scheduled");
  await call("POST", `/v1/campaigns/${draft}/unschedule`);
  await call("DELETE", `/v1/campaigns/${draft}`);
}

async function makeDraft(call: Call): Promise<string> {
  const { id: listId } = await call("POST", "/v1/lists", { name: "Letters" });
  for (const local of ["ada", "bob"])
    await call("POST", "/v1/subscribers", { email: `${local}@letters.example`, list_id: listId });
  const html = "<p>The letter</p>";
  const made = await call("POST", "/v1/campaigns", { name: NAME, list_id: listId, subject: "Letter", html });
  assert.ok(made.id, JSON.stringify(made));
  return made.id;
}
