/** New blocks, as somebody begins with them. */
import type { BlocksDocument } from "../../../../../api/openapi.ts";
import type { Kind } from "./kinds.ts";
import type { Block, Leaf } from "./types.ts";

const ID_LENGTH = 10;

/** Unlike the others of a mail, which are 300 at most. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_LENGTH));
  return `b${[...bytes].map((byte) => (byte % 36).toString(36)).join("")}`;
}

export type FooterWords = { readonly unsubscribe: string; readonly preferences: string };

/** Those that can't be without an address are asked for it first. */
export type AskedKind = "image" | "button" | "social";

export function newBlock(kind: Exclude<Kind, AskedKind>, { unsubscribe, preferences }: FooterWords): Block {
  const id = newId();
  switch (kind) {
    case "heading":
      return { id, type: kind, level: 2, content: [] };
    case "text":
      return emptyText();
    case "divider":
      return { id, type: kind };
    case "spacer":
      return { id, type: kind, height: 24 };
    case "columns":
      return { id, type: kind, columns: [{ blocks: [emptyText()] }, { blocks: [emptyText()] }] };
    case "product":
      return { id, type: kind, title: [] };
    case "quote":
      return { id, type: kind, content: [] };
    case "table":
      return {
        id,
        type: kind,
        has_header: true,
        rows: [
          [[], []],
          [[], []],
        ],
      };
    case "html":
      return { id, type: kind, html: "" };
    case "footer":
      return { id, type: kind, unsubscribe, preferences };
  }
}

const emptyText = (): Leaf => ({ id: newId(), type: "text", content: [] });

/** What a new mail begins with: it can be sent as it is. */
export function firstDocument(
  words: FooterWords & { readonly greeting: string; readonly reader: string; readonly begin: string },
): BlocksDocument {
  return {
    version: 1,
    blocks: [
      {
        id: newId(),
        type: "text",
        content: [
          {
            type: "paragraph",
            content: [
              { type: "text", text: `${words.greeting} ` },
              { type: "variable", name: "first_name", fallback: words.reader },
              { type: "text", text: "," },
            ],
          },
          { type: "paragraph", content: [{ type: "text", text: words.begin }] },
        ],
      },
      newBlock("footer", words),
    ],
  };
}
