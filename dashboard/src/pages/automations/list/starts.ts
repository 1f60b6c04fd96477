/** Automations to begin with. Each is a draft without faults once its list, and what it needs beside, are chosen. */
import type { TFunction } from "i18next";
import type { BlocksDocument } from "../../../api/openapi.ts";
import { newBlock, newId } from "../../campaigns/composer/blocks/document/new-block.ts";
import type { Json } from "../graph/draft.ts";

export const START_KEYS = [
  "welcome",
  "birthday",
  "anniversary",
  "abandoned_cart",
  "after_purchase",
  "reengagement",
  "win_back",
  "trial_ending",
] as const;
export type StartKey = (typeof START_KEYS)[number] | "blank";

/** What has to be chosen beside the list, and the key of a field that is made where there is none. */
type Needs = { readonly what: "date"; readonly fieldKey: string } | { readonly what: "segment" };

export const NEEDS: Readonly<Partial<Record<StartKey, Needs>>> = {
  birthday: { what: "date", fieldKey: "birthday" },
  anniversary: { what: "date", fieldKey: "customer_since" },
  trial_ending: { what: "date", fieldKey: "trial_ends_on" },
  reengagement: { what: "segment" },
  win_back: { what: "segment" },
};

/** Whose segment is made where there is none: active, long here, and not seen to open or click for 90 days. */
export const QUIET = {
  all: [
    { field: "status", op: "is", value: "active" },
    { field: "opened", op: "not_in_last_days", value: 90 },
    { field: "clicked", op: "not_in_last_days", value: 90 },
    { field: "created_at", op: "not_in_last_days", value: 90 },
  ],
};

export type Chosen = {
  /** As the API names it, such as `fields.birthday`. */
  readonly dateField: string;
  readonly segmentId: string;
};

type Mail = { readonly subject: string; readonly text: string };

export function draftOf(key: StartKey, t: TFunction, { dateField, segmentId }: Chosen): Json {
  const mail = (words: Mail, next: string): Json => ({
    type: "email",
    subject: words.subject,
    blocks: documentOf(t, words.text),
    next,
  });
  const wait = (span: string, next: string, at?: string): Json => ({
    type: "wait",
    for: span,
    ...(at && { at }),
    next,
  });
  const end = { type: "end" };
  const ordered = { event: "order.placed", as: "goal" };
  const onDay = (offset: number, repeat: "yearly" | "once") => ({
    type: "date",
    field: dateField,
    offset_days: offset,
    repeat,
    at: "09:00",
  });
  const words = <K extends string>(name: K) => ({
    subject: t(`starts.${name}.subject` as "starts.welcome.hello.subject"),
    text: t(`starts.${name}.text` as "starts.welcome.hello.text"),
  });
  switch (key) {
    case "blank":
      return { format: 1, start: "end", entry: { on: [{ type: "list_joined" }] }, nodes: { end } };
    case "welcome":
      return {
        format: 1,
        start: "hello",
        entry: { on: [{ type: "list_joined" }], reentry: { mode: "once" } },
        nodes: {
          hello: mail(words("welcome.hello"), "two_days"),
          two_days: wait("P2D", "more", "09:00"),
          more: mail(words("welcome.more"), "end"),
          end,
        },
      };
    case "birthday":
    case "anniversary":
      return {
        format: 1,
        start: "greeting",
        entry: { on: [onDay(0, "yearly")], reentry: { mode: "after", days: 300 } },
        nodes: { greeting: mail(words(`${key}.mail`), "end"), end },
      };
    case "abandoned_cart":
      return {
        format: 1,
        start: "four_hours",
        entry: {
          on: [{ type: "event", name: "cart.updated" }],
          reentry: { mode: "every_time" },
          key: "cart_id",
        },
        exit: [ordered],
        nodes: {
          four_hours: wait("PT4H", "first"),
          first: mail(words("abandoned_cart.first"), "one_day"),
          one_day: wait("P1D", "last"),
          last: mail(words("abandoned_cart.last"), "end"),
          end,
        },
      };
    case "after_purchase":
      return {
        format: 1,
        start: "one_week",
        entry: { on: [{ type: "event", name: "order.placed" }], reentry: { mode: "after", days: 30 } },
        nodes: {
          one_week: wait("P7D", "well", "10:00"),
          well: mail(words("after_purchase.well"), "two_weeks"),
          two_weeks: wait("P14D", "review", "10:00"),
          review: mail(words("after_purchase.review"), "end"),
          end,
        },
      };
    case "reengagement":
      return {
        format: 1,
        start: "ask",
        entry: {
          on: [{ type: "segment_entered", segment_id: segmentId }],
          reentry: { mode: "after", days: 180 },
        },
        nodes: {
          ask: mail(words("reengagement.ask"), "answer"),
          answer: {
            type: "wait_for",
            on: [{ type: "email_clicked", node: "ask" }],
            timeout: "P14D",
            // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
            then: "stays",
            else: "last",
          },
          stays: { type: "goal", name: t("starts.reengagement.stays"), next: "end" },
          last: mail(words("reengagement.last"), "answer_last"),
          answer_last: {
            type: "wait_for",
            on: [{ type: "email_clicked", node: "last" }],
            timeout: "P7D",
            // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
            then: "stays",
            else: "sunset",
          },
          sunset: { type: "unsubscribe" },
          end,
        },
      };
    case "win_back":
      return {
        format: 1,
        start: "miss",
        entry: {
          on: [{ type: "segment_entered", segment_id: segmentId }],
          reentry: { mode: "after", days: 180 },
        },
        exit: [ordered],
        nodes: {
          miss: mail(words("win_back.miss"), "two_weeks"),
          two_weeks: wait("P14D", "offer", "10:00"),
          offer: mail(words("win_back.offer"), "end"),
          end,
        },
      };
    case "trial_ending":
      return {
        format: 1,
        start: "soon",
        entry: { on: [onDay(-3, "once")], reentry: { mode: "once" } },
        exit: [{ event: "subscription.started", as: "goal" }],
        nodes: {
          soon: mail(words("trial_ending.soon"), "last_day"),
          last_day: { type: "wait", until: { field: dateField, offset_days: 0 }, at: "09:00", next: "today" },
          today: mail(words("trial_ending.today"), "end"),
          end,
        },
      };
  }
}

/** A mail that can be sent as it is: a greeting, a paragraph, and the links that every mail has. */
export function documentOf(t: TFunction, text: string): BlocksDocument {
  const footer = { unsubscribe: t("starts.unsubscribe"), preferences: t("starts.preferences") };
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
              { type: "text", text: `${t("starts.greeting")} ` },
              { type: "variable", name: "first_name", fallback: t("starts.reader") },
              { type: "text", text: "," },
            ],
          },
          { type: "paragraph", content: [{ type: "text", text }] },
        ],
      },
      newBlock("footer", footer),
    ],
  };
}
