/** Goes through what the editor of a mail opens: what fits while something is typed, templates and pictures. */
import type { Page } from "playwright-core";
import { picture } from "./images.ts";

/** It begins in the composer, where the visit before it has ended. */
export async function visitEditor(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  const tools = page.getByRole("region", { name: "Content" });
  const press = (name: string) => tools.getByRole("button", { name, exact: true }).click();
  await tools.getByRole("textbox", { name: /^Content, as/ }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("{{fi");
  await page.getByText("Variables that begin with “fi”").waitFor();
  await look("editor-completion");
  await page.keyboard.press("Escape");
  for (let key = 0; key < 4; key++) await page.keyboard.press("Backspace");
  await press("Templates");
  await page.frameLocator('iframe[title="Letter, as it looks"]').getByText("With kind regards").waitFor();
  await look("editor-templates");
  await page.keyboard.press("Escape");
  await press("Pictures");
  const files = page.locator('input[type="file"]');
  await files.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("words") });
  await page.getByText("is no picture that mail programs show").waitFor();
  await look("editor-pictures");
  await files.setInputFiles({
    name: "garden.png",
    mimeType: "image/png",
    buffer: await picture("png", 900, 300),
  });
  await page.getByLabel("Description").waitFor();
  await look("editor-picture");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}
