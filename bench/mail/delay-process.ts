/**
 * Simulates a distant server: everything that passes through it takes DELAY_MS each way and keeps its order, however
 * much there is. It says its port. Usage: delay-process.ts PORT DELAY_MS
 */
import { connect, createServer, type Socket } from "node:net";

const [, , portText = "", delayText = ""] = process.argv;
const delayMs = Number(delayText);

const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ port: Number(portText), host: "127.0.0.1", noDelay: true });
  passOn(near, far);
  passOn(far, near);
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("SIGTERM", () => process.exit(0)).on("disconnect", () => process.exit(0));

/** Uses one timer, for the oldest chunk, because chunks are due in the order in which they came. Null marks the end. */
function passOn(from: Socket, to: Socket): void {
  const waiting: { readonly dueMs: number; readonly chunk: Buffer | null }[] = [];
  const deliver = () => {
    while (waiting[0] && waiting[0].dueMs <= performance.now()) {
      const chunk = waiting.shift()?.chunk;
      if (chunk) to.write(chunk);
      else to.end();
    }
    if (waiting[0]) setTimeout(deliver, Math.max(0, waiting[0].dueMs - performance.now()));
  };
  const add = (chunk: Buffer | null) => {
    waiting.push({ dueMs: performance.now() + delayMs, chunk });
    if (waiting.length === 1) setTimeout(deliver, delayMs);
  };
  from.on("data", add);
  from.on("end", () => add(null));
  from.on("error", () => to.destroy());
}
