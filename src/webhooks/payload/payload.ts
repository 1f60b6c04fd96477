/** Makes the body that is posted: one event, or a batch of them. Other files of this room sign it and document it. */
import { type EventRow, shapeEvent } from "../../events/events.ts";
import { BATCH_TYPE } from "../event-patterns.ts";

export { documentedMessages } from "./documented-messages.ts";
export { liveKeys, openKeys, resealSecret, sealSecret } from "./secrets.ts";

/** The addresses of people, by the public id of the event that is about them. */
export type Addresses = ReadonlyMap<string, string | null>;
export const NO_ADDRESSES: Addresses = new Map();

const MOST_BYTES = 20_000;
/** Of a member that is too long for a body, so many characters are kept. */
const KEPT_CHARACTERS = 500;

/** Endpoints of one account read the same rows, so what each of them gets is made once. */
const bodies = new WeakMap<EventRow, Buffer>();

export function bodyOf(events: readonly EventRow[], addresses: Addresses): Buffer {
  const [only] = events;
  if (!only || events.length > 1 || addresses.size > 0) return makeBody(events, addresses);
  const made = bodies.get(only) ?? makeBody(events, addresses);
  bodies.set(only, made);
  return made;
}

function makeBody(events: readonly EventRow[], addresses: Addresses): Buffer {
  const all = events.map((event) => fit(messageOf(event, addresses)));
  const [first] = all;
  if (first && all.length === 1) return first.bytes;
  return bytesOf({
    type: BATCH_TYPE,
    timestamp: all.at(-1)?.message.timestamp,
    account_id: first?.message.account_id,
    data: { events: all.map(({ message }) => message) },
  });
}

function messageOf(row: EventRow, addresses: Addresses) {
  const { id, type, timestamp, account_id, data } = shapeEvent(row);
  const email = addresses.get(row.id);
  return { id, type, timestamp, account_id, data: email === undefined ? data : { ...data, email } };
}

type Message = ReturnType<typeof messageOf>;

function fit(whole: Message): { readonly message: Message; readonly bytes: Buffer } {
  const bytes = bytesOf(whole);
  if (bytes.length < MOST_BYTES) return { message: whole, bytes };
  const message = { ...whole, data: shorten(whole.data) };
  return { message, bytes: bytesOf(message) };
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Ids stay as they are; what an event quotes is cut off, and says so. */
function shorten(data: object): Record<string, unknown> {
  const members = Object.entries(data).map(([name, value]) => {
    if (typeof value === "string") return [name, cutOff(value)];
    const isLong = typeof value === "object" && JSON.stringify(value).length > KEPT_CHARACTERS;
    return [name, isLong ? null : value];
  });
  return { ...Object.fromEntries(members), is_shortened: true };
}

/** Leaves no half of a character at the end. */
function cutOff(text: string): string {
  return text.slice(0, KEPT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "");
}
