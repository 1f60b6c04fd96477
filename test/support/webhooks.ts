/** An endpoint that takes what is posted, for tests of webhooks. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestApp } from "./app.ts";
import type { Json } from "./subscribers.ts";

export type ReceivedPost = {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Json;
};

/** What an answer says, perhaps made of what was posted. */
type AnswerText = string | ((posted: string) => string);

export type Receiver = {
  readonly url: string;
  /** What came, in its order. */
  readonly received: readonly ReceivedPost[];
  /** Every later post is answered so. */
  answerWith(status: number, text?: AnswerText): void;
  /** Leaves later posts without an answer, until what it returns is called. */
  holdAnswers(): () => void;
  close(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedPost[] = [];
  let answer: { status: number; text: AnswerText } = { status: 200, text: "" };
  let held: Promise<void> | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    received.push({ headers: request.headers, text, body: JSON.parse(text) });
    await held;
    const said = typeof answer.text === "string" ? answer.text : answer.text(text);
    response.writeHead(answer.status, { "content-type": "text/plain" }).end(said);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    answerWith(status, text = "") {
      answer = { status, text };
    },
    holdAnswers() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export async function makeWebhook(app: TestApp, body: Json, key = app.key): Promise<Json> {
  const made = await app.api("POST", "/v1/webhooks", { body, key });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
