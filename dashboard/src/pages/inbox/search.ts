/** What the address of the inbox holds: whose mail, the place, the message that is open, and how it is looked at. */
export const VIEWS = ["mail", "text", "headers", "raw"] as const;
export type View = (typeof VIEWS)[number];

export type InboxSearch = {
  readonly to?: string | undefined;
  readonly cursor?: string | undefined;
  readonly message?: string | undefined;
  readonly view?: View | undefined;
  readonly width?: "phone" | undefined;
  readonly dark?: true | undefined;
};

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export function readInboxSearch(given: Record<string, unknown>): InboxSearch {
  return {
    to: text(given["to"]),
    cursor: text(given["cursor"]),
    message: text(given["message"]),
    view: VIEWS.find((view) => view === given["view"]),
    width: given["width"] === "phone" ? "phone" : undefined,
    dark: given["dark"] === true ? true : undefined,
  };
}
