/**
 * Starters are the templates that users begin with. Each is a document of blocks, and for those who write by hand a complete file of
 * HTML or MJML that says the same. It loads no image or style from elsewhere. Links lead to `{{ view_url }}` until the author replaces them,
 * so that a mail sent by mistake has no dead ones.
 */
import { readFileSync } from "node:fs";
import type { BlocksDocument } from "../blocks/blocks.ts";
import { documents } from "./documents.ts";

export type Starter = {
  readonly id: keyof typeof documents;
  readonly name: string;
  readonly description: string;
  readonly subject: string;
  readonly preheader: string;
  /** A `transactional` starter is filled in by the program that sends it, with variables such as those of `sample`. */
  readonly stream: "campaign" | "transactional";
  readonly blocks: BlocksDocument;
  /** What it is written in for those who write by hand. */
  readonly format: "html" | "mjml";
  /** The whole of that, with Liquid. */
  readonly source: string;
  /** Sample values for names that neither the subscriber nor the list supplies. */
  readonly sample: Readonly<Record<string, unknown>>;
};

const described: readonly Omit<Starter, "blocks" | "source">[] = [
  {
    id: "letter",
    name: "Letter",
    description: "A few paragraphs from one person to another, with no decoration.",
    subject: '{{ first_name | default: "Hello" }}, a short letter',
    preheader: "One thing that I would like to tell you in person",
    stream: "campaign",
    format: "html",
    sample: {},
  },
  {
    id: "newsletter",
    name: "Newsletter",
    description: "A main story, two shorter ones side by side, and dates.",
    subject: "The story that matters most",
    preheader: "And two shorter ones, and dates to remember",
    stream: "campaign",
    format: "html",
    sample: {},
  },
  {
    id: "announcement",
    name: "Announcement",
    description: "One piece of news with one button.",
    subject: "What is new, in one line",
    preheader: "What you can do today that you couldn’t do yesterday",
    stream: "campaign",
    format: "html",
    sample: {},
  },
  {
    id: "digest",
    name: "Digest",
    description: "Five numbered links with a sentence each.",
    subject: "The week in brief",
    preheader: "Five things in the time that a coffee takes",
    stream: "campaign",
    format: "html",
    sample: {},
  },
  {
    id: "catalogue",
    name: "Catalogue",
    description: "A few things to choose from, side by side, each with a price.",
    subject: '{{ first_name | default: "Reader" }}, chosen for the new season',
    preheader: "Three things that are worth your time",
    stream: "campaign",
    format: "mjml",
    sample: {},
  },
  {
    id: "receipt",
    name: "Receipt",
    description: "What was bought, what it cost and how it was paid, as a transactional mail.",
    subject: "Your receipt for order {{ order_number }}",
    preheader: "{{ total }}, paid. Thank you!",
    stream: "transactional",
    format: "html",
    sample: {
      order_number: "1042",
      order_date: "3 March 2026",
      items: [
        { name: "Apple juice, 0.7 l", quantity: 6, price: "€ 17.40" },
        { name: "A jar of pear butter with a rather long name", quantity: 1, price: "€ 5.20" },
      ],
      tax: "€ 1.48",
      total: "€ 22.60",
      payment_method: "Visa ending in 4242",
    },
  },
];

/** Returns the starters in the order in which they are offered. */
export function listStarters(): readonly Starter[] {
  return described.map((starter) => ({
    ...starter,
    blocks: documents[starter.id],
    source: read(`${starter.id}.${starter.format}`),
  }));
}

function read(file: string): string {
  return readFileSync(new URL(`./${file}`, import.meta.url), "utf8");
}
