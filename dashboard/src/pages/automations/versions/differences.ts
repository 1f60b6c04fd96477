/** What is otherwise in one version than in another, step by step. These functions are pure. */
import { isSameValue } from "../../../drafts/draft-fields.ts";
import { type Graph, hasWays, type Json, targetOf, typeOf, waysOf } from "../graph/draft.ts";
import { allSteps, outlineOf } from "../graph/outline.ts";

/** A way out of a step that leads elsewhere; `key` is undefined for a step with one way only. */
type LedElsewhere = {
  readonly key: string | undefined;
  readonly before: string;
  readonly after: string;
};

export type StepDifference = {
  readonly id: string;
  readonly kind: "added" | "removed" | "changed";
  /** The parts that aren't the same, by what they are called on the page. */
  readonly parts: readonly Part[];
  readonly led: readonly LedElsewhere[];
};

export type Differences = {
  readonly sections: readonly Section[];
  readonly begins: { readonly before: string; readonly after: string } | undefined;
  /** In the order of the later one, and then those that are gone. */
  readonly steps: readonly StepDifference[];
};

const SECTIONS = ["entry", "exit", "send"] as const;
export type Section = (typeof SECTIONS)[number];

type Part = "type" | "title" | "subject" | "content" | "ways" | "does" | "sender";

const PARTS: Readonly<Record<string, Part>> = {
  type: "type",
  title: "title",
  subject: "subject",
  html: "content",
  mjml: "content",
  blocks: "content",
  text: "content",
  template_id: "content",
  preheader: "content",
  preview_text: "content",
  from_name: "sender",
  from_email: "sender",
  reply_to: "sender",
  topic_id: "sender",
  transport_id: "sender",
};
const LEADS = ["next", "then", "else"];

export function differencesOf(before: Graph, after: Graph): Differences {
  const order = allSteps(outlineOf(after)).map(({ id }) => id);
  const gone = allSteps(outlineOf(before))
    .map(({ id }) => id)
    .filter((id) => !Object.hasOwn(after.nodes, id));
  const steps = [...order, ...gone].flatMap((id): StepDifference[] => {
    const [was, is] = [before.nodes[id], after.nodes[id]];
    if (!was || !is) return [{ id, kind: was ? "removed" : "added", parts: [], led: [] }];
    const parts = partsOf(was, is);
    const led = ledOf(before, after, id);
    return parts.length + led.length === 0 ? [] : [{ id, kind: "changed", parts, led }];
  });
  return {
    sections: SECTIONS.filter((one) => !isSameValue(before[one], after[one])),
    begins: before.start === after.start ? undefined : { before: before.start, after: after.start },
    steps,
  };
}

function partsOf(was: Json, is: Json): readonly Part[] {
  const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
  const found = [...keys]
    .filter((key) => !LEADS.includes(key) && !isSameValue(withoutLeads(was[key]), withoutLeads(is[key])))
    .map((key) => (key === "ways" ? "ways" : (PARTS[key] ?? "does")));
  return [...new Set(found)];
}

/** Where ways lead is told by itself. */
function withoutLeads(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((one) =>
    typeof one === "object" && one !== null && "next" in one ? { ...one, next: undefined } : one,
  );
}

function ledOf(before: Graph, after: Graph, id: string): readonly LedElsewhere[] {
  const [was, is] = [before.nodes[id] ?? {}, after.nodes[id] ?? {}];
  if (typeOf(was) !== typeOf(is)) return [];
  return waysOf(is).flatMap(({ key, to }) => {
    const from = targetOf(before, { node: id, key });
    return from === to || from === ""
      ? []
      : [{ key: hasWays(is) ? key : undefined, before: from, after: to }];
  });
}

export const isNone = ({ sections, begins, steps }: Differences): boolean =>
  sections.length === 0 && begins === undefined && steps.length === 0;
