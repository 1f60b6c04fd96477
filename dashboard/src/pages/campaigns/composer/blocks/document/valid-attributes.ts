/**
 * Says which attributes a node of the editor may have, as the service's schema has it. Any page may put on the clipboard what looks like
 * blocks of ours; what the service would refuse, or what would draw something else, doesn't come in by it.
 */
import { COLOUR, isLink, LIQUID_TEXT, SOURCE, VARIABLE } from "./rules.ts";
import type { Attributes } from "./types.ts";

type Rule = (value: unknown) => boolean;

const isBoolean: Rule = (value) => typeof value === "boolean";
const whole =
  (least: number, most: number): Rule =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
const textOf =
  (longest: number, pattern = /^/): Rule =>
  (value) =>
    typeof value === "string" && value.length <= longest && pattern.test(value);
const oneOf =
  (...values: readonly unknown[]): Rule =>
  (value) =>
    values.includes(value);
const maybe =
  (rule: Rule): Rule =>
  (value) =>
    value === null || value === undefined || rule(value);
/** Exactly these members. */
const members =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).every((name) => Object.hasOwn(rules, name)) &&
    Object.entries(rules).every(([name, rule]) => rule((value as Attributes)[name]));
const listOf =
  (rule: Rule, least: number, most: number): Rule =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every(rule);

const link: Rule = (value) => typeof value === "string" && isLink(value);
const source = textOf(2_000, SOURCE);
const alt = maybe(textOf(1_000));
const colour = textOf(7, COLOUR);
const align = maybe(oneOf("left", "center", "right"));
const variable = textOf(200, VARIABLE);
const liquidText = textOf(200, LIQUID_TEXT);
const label = textOf(100, /[\p{L}\p{N}\p{P}\p{S}]/u);

const condition: Rule = (value) =>
  members({ type: oneOf("tag"), tag: liquidText, has: isBoolean })(value) ||
  members({
    type: oneOf("variable"),
    name: variable,
    is: oneOf("equal", "not_equal", "set", "not_set"),
    value: maybe(liquidText),
  })(value);

const common = {
  id: maybe(textOf(40, /^[A-Za-z0-9_-]+$/)),
  only_for: maybe(condition),
  repeat: maybe(members({ over: variable, most: maybe(whole(1, 100)) })),
};
const given = { given: maybe(isBoolean) };

/** Nodes and marks by their names in the editor. What a newer version made is known to nobody here, so it can't be told from harm. */
const RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  heading: { ...common, level: whole(1, 3), align },
  text_block: { ...common, align, bare: maybe(isBoolean) },
  image: {
    ...common,
    src: source,
    alt,
    link: maybe(link),
    width: maybe(whole(16, 720)),
    align,
    radius: maybe(whole(0, 60)),
  },
  button: {
    ...common,
    link,
    align,
    full_width: maybe(isBoolean),
    background: maybe(colour),
    colour: maybe(colour),
  },
  divider: { ...common, colour: maybe(colour), thickness: maybe(whole(1, 8)) },
  spacer: { ...common, height: whole(4, 200) },
  social: { ...common, align, links: listOf(members({ label: textOf(60, /./s), link }), 1, 12) },
  product: {
    ...common,
    image: maybe(members({ src: source, alt })),
    link: maybe(link),
    label: maybe(textOf(100, /./s)),
    align,
  },
  quote: common,
  table: { ...common, has_header: maybe(isBoolean) },
  html: { ...common, html: textOf(100_000) },
  footer: {
    ...common,
    ...given,
    align,
    unsubscribe: label,
    preferences: maybe(label),
    view: maybe(label),
  },
  columns: common,
  column: { width: maybe(whole(10, 90)) },
  product_title: {},
  product_description: given,
  product_price: given,
  quote_words: {},
  quote_source: given,
  table_row: {},
  table_cell: {},
  text: {},
  paragraph: { align },
  list: { ordered: maybe(isBoolean) },
  list_item: { level: maybe(whole(1, 3)) },
  break: {},
  variable: { name: variable, fallback: maybe(liquidText) },
  bold: {},
  italic: {},
  underline: {},
  strike: {},
  colour: { colour },
  link: { href: link },
};

export function areValid(name: string, attrs: Attributes): boolean {
  const rules = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  return rules !== undefined && members(rules)(attrs);
}
