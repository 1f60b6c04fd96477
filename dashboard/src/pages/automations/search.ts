/** What the addresses of the automations' pages hold. */
const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export type AutomationsSearch = { readonly q?: string | undefined; readonly cursor?: string | undefined };

export function readAutomationsSearch({ q, cursor }: Record<string, unknown>): AutomationsSearch {
  // A name that looks like a number is read as one by the router.
  return { q: typeof q === "number" ? String(q) : text(q), cursor: text(cursor) };
}

export type AutomationSearch = {
  /** What is open in the outline: `step:` and its id, or a part of the draft. */
  readonly open?: "entry" | "exit" | "send" | `step:${string}` | undefined;
  readonly try?: true | undefined;
  readonly view?: "canvas" | "outline" | undefined;
};

const SECTIONS = ["entry", "exit", "send"] as const;

export function readAutomationSearch(search: Record<string, unknown>): AutomationSearch {
  const { open, try: isTrying, view } = search;
  const section = SECTIONS.find((one) => one === open);
  const step = typeof open === "string" && open.startsWith("step:") ? (open as `step:${string}`) : undefined;
  return {
    open: section ?? step,
    try: isTrying === true ? isTrying : undefined,
    view: view === "canvas" || view === "outline" ? view : undefined,
  };
}

const STATUSES = ["active", "completed", "exited"] as const;

export type RunsSearch = {
  readonly status?: (typeof STATUSES)[number] | undefined;
  readonly node?: string | undefined;
  readonly subscriber?: string | undefined;
  readonly cursor?: string | undefined;
  /** The run whose journal is open. */
  readonly run?: string | undefined;
};

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  return {
    status: STATUSES.find((one) => one === search["status"]),
    // A step that is named by a number is read as one by the router.
    node: typeof search["node"] === "number" ? String(search["node"]) : text(search["node"]),
    subscriber: text(search["subscriber"]),
    cursor: text(search["cursor"]),
    run: text(search["run"]),
  };
}

export type VersionsSearch = {
  /** The number of a version, or `draft`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cursor?: string | undefined;
};

export function readVersionsSearch({ from, to, cursor }: Record<string, unknown>): VersionsSearch {
  // Numbers are read as such by the router.
  const which = (value: unknown) =>
    value === "draft" || /^[1-9]\d{0,8}$/.test(String(value)) ? String(value) : undefined;
  return { from: which(from), to: which(to), cursor: text(cursor) };
}
