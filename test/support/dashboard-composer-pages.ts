/** Goes through the composer: a draft, its versions, the test and the fields that are folded at first. */
import type { Page } from "playwright-core";

export async function visitComposer(
  page: Page,
  baseUrl: string,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const press = (name: string | RegExp) => page.getByRole("button", { name }).first().click();
  const read = `fetch("/v1/campaigns?status=draft&q=winter").then((answer) => answer.json())`;
  const { data } = await page.evaluate<{ data: readonly { id: string }[] }>(read);
  await page.goto(`${baseUrl}/campaigns/${data[0]?.id}/edit`);
  await page.locator(".cm-chip").waitFor();
  await page.getByText(/will get it/).waitFor();
  await page.waitForLoadState("networkidle");
  await look("composer");
  await press("Change");
  await page.getByText("UTM parameters for links").click();
  await page.getByText("When it isn't sure that a mail arrived").click();
  await look("composer-more");
  await press("Send a test");
  await page.getByRole("dialog").waitFor();
  await look("composer-test");
  await page.keyboard.press("Escape");
  await press("Versions");
  await page.getByRole("dialog").getByText("Version 1").first().waitFor();
  await page.waitForLoadState("networkidle");
  await look("composer-versions");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}
