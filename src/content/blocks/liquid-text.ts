/** Writes text, names and conditions of blocks as Liquid. What an author typed as text never becomes Liquid. */
import { escapeHtml } from "../escape.ts";
import type { Condition, Repeat } from "./schema.ts";

/**
 * Escapes text for HTML within MJML. Braces that would begin Liquid, here or with what follows, are written by Liquid itself, so
 * that they are read by people only.
 */
export function literal(text: string): string {
  return escapeHtml(text).replaceAll(/\{(?=[{%]|$)/g, '{{ "{" }}');
}

/** Escapes a link for an attribute. Its Liquid stays, because the schema lets it stand only where it can't change the host. */
export function address(link: string): string {
  return link
    .split(/(\{\{[^{}]*\}\})/)
    .map((part, at) => (at % 2 === 1 ? part : escapeHtml(part)))
    .join("");
}

export function variable(name: string, fallback: string | undefined): string {
  return fallback === undefined || fallback === ""
    ? `{{ ${name} }}`
    : `{{ ${name} | default: ${quoted(fallback)} }}`;
}

type Wrapping = { readonly begin: string; readonly end: string };

/** Returns the tags that stand around a block, or null where it is shown to all, and once. */
export function wrapping({ only_for, repeat }: { only_for?: Condition; repeat?: Repeat }): Wrapping | null {
  const condition = only_for && conditionTags(only_for);
  const loop = repeat && {
    begin: `{% for item in ${repeat.over} limit: ${repeat.most ?? 20} %}`,
    end: "{% endfor %}",
  };
  if (!condition || !loop) return condition ?? loop ?? null;
  return { begin: condition.begin + loop.begin, end: loop.end + condition.end };
}

function conditionTags(given: Condition): Wrapping {
  if (given.type === "tag") {
    const tag = given.has ? "if" : "unless";
    return { begin: `{% ${tag} subscriber.tags contains ${quoted(given.tag)} %}`, end: `{% end${tag} %}` };
  }
  const tag = given.is === "set" || given.is === "equal" ? "if" : "unless";
  const holds = given.is === "equal" || given.is === "not_equal" ? equality(given) : setness(given);
  return { begin: `{% ${tag} ${holds} %}`, end: `{% end${tag} %}` };
}

type OfVariable = Extract<Condition, { type: "variable" }>;

/** Values come as their field has them, and Liquid tells 5 from "5". What isn't there is as good as empty. */
function equality({ name, value = "" }: OfVariable): string {
  const written = [quoted(value)];
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) written.push(value);
  if (/^(?:true|false)$/i.test(value)) written.push(value.toLowerCase());
  if (value === "") written.push("nil");
  return written.map((one) => `${name} == ${one}`).join(" or ");
}

/** Liquid takes "no" for blank, though somebody said it. */
function setness({ name }: OfVariable): string {
  return `${name} != blank or ${name} == false`;
}

function quoted(text: string): string {
  return text.includes('"') ? `'${text}'` : `"${text}"`;
}
