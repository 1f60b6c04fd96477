/** This is the sink's process. It is controlled by messages (sink.ts), and ends with the process that started it. */
import { createServer } from "node:net";
import type { SinkCounts } from "./log.ts";
import { createChooser, type Rule } from "./rules.ts";
import { type Journal, serve } from "./session.ts";

export type Order =
  | { readonly kind: "misbehave"; readonly rules: readonly Rule[]; readonly seed: number }
  | { readonly kind: "count" }
  | { readonly kind: "log"; readonly after: number; readonly most: number }
  | { readonly kind: "forget" };

let journal: Journal;
let connections = 0;
let open = 0;
let choose = createChooser([], 1);
forget();

const server = createServer({ noDelay: true }, (socket) => {
  open++;
  socket.once("close", () => open--);
  // These are functions, because rules and journal may change while a connection lasts.
  serve(
    socket,
    ++connections,
    () => journal,
    (at, to) => choose(at, to),
  );
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : 0 });
});
process.on("message", ({ id, order }: { id: number; order: Order }) => {
  process.send?.({ id, answer: obey(order) });
});
process.on("disconnect", () => process.exit(0));

function obey(order: Order): unknown {
  switch (order.kind) {
    case "misbehave":
      choose = createChooser(order.rules, order.seed);
      return null;
    case "count":
      return counts();
    case "log":
      return { ...journal, bodies: journal.bodies.slice(order.after, order.after + order.most), connections };
    case "forget":
      return forget();
  }
}

function counts(): SinkCounts {
  const { bodies, refusals, data, taken } = journal;
  return { connections, open, data, begun: bodies.length, taken, refusals: refusals.length };
}

function forget(): null {
  journal = { bodies: [], refusals: [], faults: [], data: 0, taken: 0 };
  return null;
}
