/** Opens a mail of blocks in its editor, and asks the API what was saved. */
import type { Page } from "playwright-core";
import type { BlocksDocument } from "../../src/content/blocks/schema.ts";
import { type ComposerTest, startComposer } from "./composer.ts";
import { until } from "./until.ts";

export type Blocks = BlocksDocument["blocks"];
export type BlocksTest = Awaited<ReturnType<typeof startBlocksEditor>>;

export const said = (text: string) => [{ type: "text" as const, text }];
export const text = (id: string, words: string): Blocks[number] => ({
  id,
  type: "text",
  content: [{ type: "paragraph", content: said(words) }],
});
export const heading = (id: string, words: string): Blocks[number] => ({
  id,
  type: "heading",
  level: 1,
  content: said(words),
});
export const footer: Blocks[number] = { id: "end", type: "footer", unsubscribe: "Leave" };

export async function startBlocksEditor(settings: Record<string, string> = {}) {
  const composer: ComposerTest = await startComposer(settings);
  const { page } = composer;
  const root = (on: Page = page) => on.getByRole("textbox", { name: "Content, as blocks" });
  const blocksOf = async (id: string): Promise<Blocks> => (await composer.campaign(id)).blocks?.blocks ?? [];
  return {
    ...composer,
    root,
    blocksOf,
    block: (id: string, on: Page = page) => on.locator(`.blk[data-id="${id}"]`),
    toolbar: (on: Page = page) => on.getByRole("toolbar", { name: /^Tools of the block/ }),
    async openBlocks(blocks: Blocks, more: Partial<BlocksDocument> = {}, on: Page = page): Promise<string> {
      const id = await composer.made({ html: undefined, blocks: { version: 1, ...more, blocks } });
      await composer.open(id, on);
      await root(on).waitFor();
      return id;
    },
    /** Writes at the end of a block. */
    async write(id: string, words: string, on: Page = page): Promise<void> {
      await on.locator(`.blk[data-id="${id}"]`).click();
      await on.keyboard.press("End");
      await on.keyboard.type(words);
    },
    /** Waits until what is saved is so. */
    becomes: (id: string, isSo: (blocks: Blocks) => boolean) => until(async () => isSo(await blocksOf(id))),
    kinds: async (id: string) => (await blocksOf(id)).map(({ type }) => type),
    /** What another program would have put on the clipboard. A value is written in the page, so that it may be large. */
    paste: (data: Readonly<Record<string, string>>): Promise<void> =>
      page.evaluate(
        `(${PASTE})({ ${Object.entries(data).map(([type, value]) => `${JSON.stringify(type)}: ${JSON.stringify(value)}`)} })`,
      ),
    pasteMade: (expression: string): Promise<void> => page.evaluate(`(${PASTE})(${expression})`),
    dropFile: (file: { name: string; type: string; bytes: string }): Promise<void> =>
      page.evaluate(`(${DROP})(${JSON.stringify([file.name, file.type])}, ${file.bytes})`),
  };
}

const PASTE = `(data) => {
  const transfer = new DataTransfer();
  for (const [type, value] of Object.entries(data))
    value instanceof File ? transfer.items.add(value) : transfer.setData(type, value);
  const target = document.querySelector(".blocks-root .chosen") ?? document.querySelector(".blocks-root");
  target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
}`;

/** At the first block. */
const DROP = `([name, type], bytes) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name, { type }));
  const target = document.querySelector(".blocks-root .blk");
  const { left, top } = target.getBoundingClientRect();
  const at = { clientX: left + 20, clientY: top + 10, bubbles: true, cancelable: true };
  target.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, ...at }));
}`;
