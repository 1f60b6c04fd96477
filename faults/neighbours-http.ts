/** These neighbours keep connections open: with streams that never end, and with bodies that never come. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, exactly } from "./fault.ts";
import type { Neighbour } from "./shared-instance.ts";

const STREAMS = 1_000;
const DAYS_AHEAD = 300;
const ANSWERED_WITHIN_MS = 10_000;

/** One key opens all streams, half of them for a campaign that is scheduled months ahead. */
export const manyStreams: Neighbour = {
  name: `${STREAMS} open streams`,
  async begin(instance) {
    const account = await instance.addAccount();
    const listId = await account.addList(["ada@example.com"]);
    const ids = await Promise.all([account.makeCampaign(listId), account.makeCampaign(listId)]);
    const sendAt = new Date(Date.now() + DAYS_AHEAD * 24 * 3_600_000).toISOString();
    for (const id of ids) await account.must("POST", `/campaigns/${id}/schedule`, { send_at: sendAt });
    const held = await Promise.all(
      Array.from({ length: STREAMS }, (_, n) =>
        hold(instance.port, [
          `GET /v1/campaigns/${ids[n % ids.length]}/progress HTTP/1.1`,
          "Host: localhost",
          `Authorization: Bearer ${account.key}`,
          "",
          "",
        ]),
      ),
    );
    await until(() => held.every((one) => one.status() !== null), ANSWERED_WITHIN_MS);
    return async () => {
      const open = held.filter((one) => one.status() === 200 && one.isOpen()).length;
      const refused = held.filter((one) => one.status() === 429).length;
      for (const one of held) one.end();
      return [
        exactly(`${STREAMS} open streams: answered`, open + refused, STREAMS, "requests", [
          `${open} are open, ${refused} were refused with 429`,
        ]),
        atMost(`${STREAMS} open streams: held open by one key`, open, 100, "streams"),
      ];
    };
  },
};

const BODIES = 500;
const BYTE_EVERY_MS = 1_000;
/** The connection of a refused request is closed at once; that of a valid key may be slow for a minute. */
const CLOSED_WITHIN_MS = 5_000;

/** Half of the requests have a forged, well-formed key and half have none. A byte of the body comes now and then. */
export const slowBodies: Neighbour = {
  name: `${BODIES} slow bodies`,
  async begin(instance) {
    const held = await Promise.all(
      Array.from({ length: BODIES }, (_, n) =>
        hold(instance.port, [
          "POST /v1/subscribers HTTP/1.1",
          "Host: localhost",
          ...(n % 2 ? [`Authorization: Bearer pr_${"0".repeat(54)}`] : []),
          "Content-Type: application/json",
          "Content-Length: 100000",
          "",
          '{"email": "',
        ]),
      ),
    );
    const startedMs = performance.now();
    const timer = setInterval(() => {
      for (const one of held) one.write("a");
    }, BYTE_EVERY_MS);
    return async () => {
      const leftMs = CLOSED_WITHIN_MS - (performance.now() - startedMs);
      await until(() => held.every((one) => !one.isOpen()), Math.max(leftMs, 1));
      clearInterval(timer);
      const open = held.filter((one) => one.isOpen()).length;
      const answered = held.filter((one) => [401, 429].includes(one.status() ?? 0)).length;
      for (const one of held) one.end();
      return [
        exactly(`${BODIES} slow bodies: refused with 401 or 429`, answered, BODIES, "requests"),
        exactly(`${BODIES} slow bodies: connections open 5 s later`, open, 0, "connections"),
      ];
    };
  },
};

type Held = {
  /** Returns the status of the answer; null before it has come. */
  status(): number | null;
  isOpen(): boolean;
  write(text: string): void;
  end(): void;
};

async function hold(port: number, lines: readonly string[]): Promise<Held> {
  const socket = await open(port);
  let status: number | null = null;
  let isOpen = true;
  socket.once("data", (chunk) => {
    const code = /^HTTP\/1\.1 (\d{3}) /.exec(chunk.toString("latin1"))?.[1];
    status = code === undefined ? 0 : Number(code);
    socket.resume();
  });
  socket.on("close", () => {
    isOpen = false;
  });
  // A server that closes while a byte is being sent resets the connection.
  socket.on("error", () => undefined);
  socket.write(lines.join("\r\n"));
  return {
    status: () => status,
    isOpen: () => isOpen,
    write: (text) => void (isOpen && socket.write(text)),
    end: () => void socket.destroy(),
  };
}

function open(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ port, host: "127.0.0.1" });
  socket.once("error", reject);
  socket.once("connect", () => resolve(socket));
  return promise;
}

async function until(isMet: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isMet() && performance.now() < deadline) await sleep(20);
}
