/** Random automations, and what happens to them: for tests that hold the engine against a naive reading. */
import fc from "fast-check";

export const TAGS = ["a", "b", "c"] as const;
export const EVENTS = ["paid", "seen"] as const;
export const ZONES = ["UTC", "America/New_York", "Asia/Kolkata"] as const;
export const has = (value: string) => ({ field: "tag", op: "has", value });
/** A field of the test's account that holds a date. */
const DATE_FIELD = "fields.renews";
export const MAIL = {
  type: "email",
  subject: "Hello",
  html: "<p><a href='{{ unsubscribe_url }}'>Leave</a></p>",
};

type Nodes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
export type RandomGraph = { readonly nodes: Nodes; readonly exit: readonly object[]; readonly send: object };

const SPANS = ["PT1H", "PT90M", "P1D", "P2D"] as const;
const spans = fc.constantFrom(...SPANS);
const tags = fc.constantFrom(...TAGS);
const weekdays = fc.constantFrom(["mon"], ["tue", "sat"], ["wed", "thu", "fri"]);

/** Steps that a simulation knows as well, which lead only to later ones, so that every graph comes to an end. */
function plainStep(later: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> {
  const wait = fc.oneof(
    spans.map((span) => ({ for: span })),
    fc.constantFrom("09:00", "18:30").map((at) => ({ at })),
    fc.record({ for: spans, at: fc.constantFrom("08:00") }),
    fc.record({ weekdays }),
    fc.record({ for: spans, weekdays, at: fc.constantFrom("07:15") }),
    fc.record({
      until: fc.record({ field: fc.constant(DATE_FIELD), offset_days: fc.integer({ min: -2, max: 1 }) }),
      at: fc.constantFrom("10:00"),
    }),
  );
  const waitFor = fc.record({
    type: fc.constant("wait_for"),
    on: fc.constantFrom(...EVENTS).map((name) => [{ type: "event", name }]),
    timeout: spans,
    // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
    then: later,
    else: later,
  });
  const branch = fc
    .record({ value: tags, next: later, else: later })
    .map(({ value, next, else: otherwise }) => ({
      type: "branch",
      ways: [{ if: has(value), next }],
      else: otherwise,
    }));
  const split = fc.tuple(later, later).map(([one, other]) => ({
    type: "split",
    ways: [
      { percent: 33.3, next: one },
      { percent: 66.7, next: other },
    ],
  }));
  const tag = fc.record({
    type: fc.constant("tag"),
    add: tags.map((one) => [one]),
    remove: tags.map((one) => [one]),
    next: later,
  });
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(wait, later).map(([how, next]) => ({ type: "wait", ...how, next })) },
    { weight: 3, arbitrary: waitFor },
    { weight: 3, arbitrary: later.map((next) => ({ ...MAIL, next })) },
    { weight: 1, arbitrary: branch },
    { weight: 1, arbitrary: split },
    { weight: 1, arbitrary: tag },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant("goal"), name: fc.constant("reached"), next: later }),
    },
  );
}

/** Steps that only a real run can take, and waits that lead back, so that there are circles. */
function anyStep(at: number, count: number, otherListId: string): fc.Arbitrary<Record<string, unknown>> {
  const later = laterThan(at, count);
  const any = fc.integer({ min: 0, max: count }).filter((to) => to !== at);
  const isFirst = fc.constantFrom("Ada", "Bob").map((value) => ({ field: "first_name", op: "is", value }));
  return fc.oneof(
    { weight: 14, arbitrary: plainStep(later) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("wait"),
        for: spans,
        next: any.map((to) => nameOf(to, count)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("wait_for"),
        on: fc.constantFrom([{ type: "email_clicked" }], [{ type: "tag_added", tag: "b" }]),
        rule: tags.map(has),
        timeout: spans,
        // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
        then: later,
        else: later,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("field"),
        field: fc.constant("first_name"),
        value: fc.constantFrom("Ada", "Bob", null),
        next: later,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ if: isFirst, next: later, else: later }).map(({ else: otherwise, ...way }) => ({
        type: "branch",
        ways: [way],
        else: otherwise,
      })),
    },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.constant({ type: "unsubscribe" }),
        fc.record({
          type: fc.constant("list"),
          action: fc.constantFrom("add", "copy", "move", "remove"),
          list_id: fc.constant(otherListId),
          next: later,
        }),
      ),
    },
  );
}

const nameOf = (to: number, count: number) => (to === count ? "end" : `s${to}`);
const laterThan = (at: number, count: number) =>
  fc.integer({ min: at + 1, max: Math.min(count, at + 3) }).map((to) => nameOf(to, count));

/** Keeps the steps to which a way leads from the first. */
function reachable(steps: readonly Record<string, unknown>[]): Nodes {
  const named = new Map(steps.map((step, at) => [`s${at}`, step]));
  const found = new Map<string, Record<string, unknown>>();
  const visit = (name: string): void => {
    const step = named.get(name);
    if (!step || found.has(name)) return;
    found.set(name, step);
    for (const [, to] of JSON.stringify(step).matchAll(/"(?:next|then|else)":"(s\d+)"/g)) visit(to as string);
  };
  visit("s0");
  return Object.fromEntries(found);
}

const windows = fc.constantFrom({}, {}, { window: { from: "09:00", to: "17:00" } });

function graphsOf(
  most: number,
  step: (at: number, count: number) => fc.Arbitrary<Record<string, unknown>>,
  exits: readonly (readonly object[])[],
): fc.Arbitrary<RandomGraph> {
  return fc
    .integer({ min: 3, max: most })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => step(at, count))))
    .chain((steps) =>
      fc.record({
        nodes: fc.constant(reachable(steps)),
        exit: fc.constantFrom(...exits),
        send: windows,
      }),
    );
}

const PLAIN_EXITS = [[], [{ event: "bought", as: "goal" }], [{ rule: has("c"), as: "exit" }]];

/** Graphs that can be simulated to their end. */
export const plainGraphs = graphsOf(7, (at, count) => plainStep(laterThan(at, count)), PLAIN_EXITS);

export function anyGraphs(otherListId: string): fc.Arbitrary<RandomGraph> {
  const byMail = [{ on: { type: "email_clicked" }, as: "goal" }];
  const exits = [
    ...PLAIN_EXITS,
    byMail,
    [
      { event: "bought", as: "goal" },
      { rule: has("c"), as: "exit" },
    ],
  ];
  return graphsOf(8, (at, count) => anyStep(at, count, otherListId), exits);
}

export const PEOPLE = 6;
/** As `who`, it stands for all of them. */
export const EVERYBODY = -1;

/** What becomes of the steps that are published. */
export type Edit =
  | { readonly as: "other"; readonly graph: RandomGraph }
  /** Spans are turned so many places on in their list. */
  | { readonly as: "spans"; readonly turn: number }
  /** A step has another name, and so many may be told where they are. */
  | { readonly as: "renamed"; readonly nth: number };

/** What happens next, after some minutes, and how it is taken: by how many workers, whose connection is cut after how many statements. */
export type Command = {
  readonly what: /** Does what the person waits for, where they do. */
    | { readonly do: "answer"; readonly who: number }
    | { readonly do: "track"; readonly who: number; readonly name: string }
    | { readonly do: "tag"; readonly who: number; readonly add: boolean; readonly tag: string }
    | { readonly do: "click" | "unsubscribe"; readonly who: number }
    | {
        readonly do: "publish";
        readonly edit: Edit;
        readonly people: "follow" | "stay";
        readonly waits: "recount" | "keep";
        /** Where people go on whose step is gone, as places among the new ones; undefined for nowhere. */
        readonly mapping: number | undefined;
      }
    /** It goes on after so many minutes, unless something else is to happen in the pause. */
    | { readonly do: "pause"; readonly forMinutes: number | undefined; readonly overdue: "run" | "skip" }
    | { readonly do: "resume"; readonly overdue: "run" | "skip" | undefined }
    | { readonly do: "days_pass"; readonly days: number };
  readonly afterMinutes: number;
  /** Whether the feed reads before the workers come. */
  readonly isFed: boolean;
  readonly workers: number;
  readonly cutAfter: number | undefined;
};

/** Returns the steps after an edit. */
export function edited(before: RandomGraph, edit: Edit): RandomGraph {
  if (edit.as === "other") return edit.graph;
  const text = JSON.stringify(before);
  if (edit.as === "spans") {
    const turned = (span: string) => SPANS[(SPANS.indexOf(span as "P1D") + edit.turn) % SPANS.length];
    return JSON.parse(
      text.replace(/"(for|timeout)":"(\w+)"/g, (_, key, span) => `"${key}":"${turned(span)}"`),
    );
  }
  const names = Object.keys(before.nodes);
  const name = names[edit.nth % names.length] ?? "";
  return JSON.parse(text.replaceAll(`"${name}"`, `"${name}x"`));
}

export function commandsOf(graphs: fc.Arbitrary<RandomGraph>): fc.Arbitrary<readonly Command[]> {
  const one = fc.integer({ min: 0, max: PEOPLE - 1 });
  const who = fc.oneof(one, fc.constant(EVERYBODY));
  const name = fc.constantFrom(...EVENTS, ...EVENTS, "bought", "come");
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc.record({ as: fc.constant("other" as const), graph: graphs }),
    fc.record({ as: fc.constant("spans" as const), turn: fc.integer({ min: 1, max: SPANS.length - 1 }) }),
    fc.record({ as: fc.constant("renamed" as const), nth: fc.nat({ max: 7 }) }),
  );
  const what = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant("answer" as const), who }) },
    { weight: 8, arbitrary: fc.record({ do: fc.constant("track" as const), who, name }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("tag" as const), who, add: fc.boolean(), tag: tags }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("click" as const), who: one }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("unsubscribe" as const), who: one }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("publish" as const),
        edit,
        people: fc.constantFrom("follow" as const, "follow" as const, "stay" as const),
        waits: fc.constantFrom("recount" as const, "keep" as const),
        mapping: fc.option(fc.nat({ max: 7 }), { nil: undefined, freq: 4 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("pause" as const),
        forMinutes: fc.option(fc.integer({ min: 30, max: 3_000 }), { nil: undefined, freq: 3 }),
        overdue: fc.constantFrom("run" as const, "skip" as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("resume" as const),
        overdue: fc.constantFrom("run" as const, "skip" as const, undefined),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("days_pass" as const), days: fc.constantFrom(1, 3) }),
    },
  );
  const command = fc.record({
    what,
    afterMinutes: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 5, max: 3_000 })),
    isFed: fc.oneof(
      { weight: 4, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    workers: fc.integer({ min: 1, max: 3 }),
    cutAfter: fc.option(fc.integer({ min: 1, max: 25 }), { nil: undefined }),
  });
  return fc.array(command, { minLength: 6, maxLength: 16 });
}
