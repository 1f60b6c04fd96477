/** Goes through the wizard and the pages of imports and exports, with a file that has a bit of everything. */
import type { Page } from "playwright-core";

const ROWS = Array.from(
  { length: 30 },
  (_, n) =>
    `fair-${n}@example.com,Reader ${n},Hebden Bridge,0${(n % 9) + 1}/09/2026,${n}.50,${n % 9 === 0 ? "unsubscribed" : "subscribed"}`,
);
const FILE = [
  `E-mail Address,Name,Town,Signed up,${"Spend in a column with quite a long heading ".repeat(3).trim()},Status`,
  ...ROWS,
  "r.holt@@gmx.example,<script>alert(1)</script>,محمد,,,",
  `${"n".repeat(60)}@localhost,,${"N".repeat(300)},,,`,
].join("\n");

export async function visitImports(
  page: Page,
  baseUrl: string,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const press = (name: string | RegExp) => page.getByRole("button", { name }).first().click();
  await page.goto(`${baseUrl}/imports/new`);
  await page
    .getByLabel("File", { exact: true })
    .setInputFiles({ name: "fair-leeds-2026.csv", mimeType: "text/csv", buffer: Buffer.from(FILE) });
  await page.getByText("fair-leeds-2026.csv").waitFor();
  await look("import-file");
  await press("Look at the columns");
  await page.getByLabel("Town becomes").selectOption("fields.city");
  await page.getByLabel("Tag all of them").fill("fair-leeds-2026");
  await look("import-mapping");
  await press("Try it on all rows");
  await page.getByRole("heading", { name: "2 rows with a fault" }).waitFor();
  await page.getByRole("cell", { name: /r\.holt/ }).waitFor();
  await look("import-dry-run");
  await press(/^Go on with/);
  await page.getByLabel("Everybody in this file agreed").check();
  await look("import-consent");
  await press(/^Import \d+ rows/);
  await page.waitForURL(/\/imports\/imp_/);
  await page.getByText(/came in\./).waitFor();
  await page.getByRole("cell", { name: /r\.holt/ }).waitFor();
  await look("import");
  await page.goto(`${baseUrl}/imports`);
  await page.getByRole("link", { name: "fair-leeds-2026.csv", exact: true }).first().waitFor();
  await look("imports");
  await page.goto(`${baseUrl}/exports`);
  await press("Export to a file");
  await page.getByLabel("What", { exact: true }).waitFor();
  await look("export-new");
  await page.getByRole("dialog").getByRole("button", { name: "Export", exact: true }).click();
  await page.getByRole("cell", { name: "Ready" }).first().waitFor();
  await look("exports");
}
