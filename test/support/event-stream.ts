/** Reads a stream of server-sent events while it is open. */
export type EventStream = { status: number; text: string; hasEnded: boolean; close(): void };

export async function openStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const leaving = new AbortController();
  const reply = await fetch(url, { headers, signal: leaving.signal });
  const stream = { status: reply.status, text: "", hasEnded: false, close: () => leaving.abort() };
  const read = async () => {
    for await (const bytes of reply.body ?? []) stream.text += Buffer.from(bytes).toString();
  };
  read()
    .catch(() => undefined)
    .finally(() => {
      stream.hasEnded = true;
    });
  return stream;
}

export type Message = {
  readonly id: string | undefined;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of many shapes
  readonly data: any;
};

/** The messages that have come whole, without comments. */
export function messagesOf({ text }: Pick<EventStream, "text">): Message[] {
  const blocks = text.slice(0, text.lastIndexOf("\n\n") + 1).split("\n\n");
  return blocks.flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const data = field("data");
    return data === undefined
      ? []
      : [{ id: field("id"), name: field("event") ?? "message", data: JSON.parse(data) }];
  });
}
