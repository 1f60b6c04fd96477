/** Serves one connection to the sink: SMTP by RFC 5321 and RFC 2920, except where a rule says otherwise. */
import type { Socket } from "node:net";
import { type Body, describeMessage, nowMs, type Refusal } from "./log.ts";
import type { Chooser, SinkPhase } from "./rules.ts";

export type Journal = {
  bodies: Body[];
  refusals: Refusal[];
  faults: string[];
  data: number;
  taken: number;
};

const END = Buffer.from("\r\n.\r\n");
/** These bytes precede a body, so that a lone dot is found like any other end. */
const BEFORE_BODY = Buffer.from("\r\n");
const LF = 10;
const MOST_BYTES = 64 * 1024 * 1024;
const CAPABILITIES = [
  "250-sink",
  "250-PIPELINING",
  "250-8BITMIME",
  "250-SMTPUTF8",
  "250-ENHANCEDSTATUSCODES",
  "250-AUTH PLAIN",
  `250 SIZE ${MOST_BYTES}`,
].join("\r\n");

export function serve(socket: Socket, connection: number, journalNow: () => Journal, choose: Chooser): void {
  let rest: Buffer = Buffer.alloc(0);
  let client = "";
  let replies = "";
  /** True until a delay is over, or for ever once the sink has hung up. */
  let isWaiting = false;
  let hasMail = false;
  let hasRcpt = false;
  let to = "";
  let rcptMs = 0;
  let isBody = false;
  let body: Body | undefined;
  let chunks: Buffer[] = [];

  const commands: Record<string, (line: string) => void> = {
    EHLO(line) {
      client = line.slice(5);
      perform("ehlo", CAPABILITIES);
    },
    AUTH: () => perform("auth", "235 2.7.0 welcome"),
    MAIL() {
      reset();
      perform("mail", "250 2.1.0 ok", () => {
        hasMail = true;
      });
    },
    RCPT: obeyRcpt,
    DATA: obeyData,
    RSET() {
      reset();
      say("250 2.0.0 ok");
    },
    NOOP: () => say("250 2.0.0 ok"),
    QUIT() {
      say("221 2.0.0 bye");
      hangUp();
    },
  };

  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    if (body) body.cutMs = nowMs();
  });
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    advance();
  });
  perform("connect", "220 sink ESMTP");
  flush();

  function advance(): void {
    while (!isWaiting && !socket.destroyed && (isBody ? readBody() : readCommand())) {}
    flush();
  }

  function say(reply: string): void {
    replies += `${reply}\r\n`;
  }

  function flush(): void {
    if (replies !== "" && !socket.destroyed) socket.write(replies, "latin1");
    replies = "";
  }

  /** Gives the usual reply or the one of a rule; `carryOn` follows unless that was a refusal. */
  function perform(at: SinkPhase, usual: string, carryOn: () => void = () => undefined): void {
    const rule = choose(at, to);
    const act = () => {
      if (rule?.drop || rule?.reply) note(at, rule.reply ?? null);
      if (rule?.drop) hangUp();
      else {
        const reply = rule?.reply ?? usual;
        say(reply);
        if (reply.startsWith("421")) hangUp();
        else if (/^[23]/.test(reply)) carryOn();
      }
    };
    later(rule?.delayMs, act);
  }

  /** Acts after a delay, during which nothing is read. */
  function later(delayMs: number | undefined, act: () => void): void {
    if (delayMs === undefined) {
      act();
      return;
    }
    flush();
    isWaiting = true;
    socket.pause();
    setTimeout(() => {
      if (socket.destroyed) return;
      isWaiting = false;
      act();
      socket.resume();
      advance();
    }, delayMs);
  }

  function note(at: SinkPhase, reply: string | null): void {
    journalNow().refusals.push({ connection, client, at, to, reply, atMs: nowMs() });
  }

  /** Ends the connection; replies that were given before are still sent. */
  function hangUp(): void {
    const last = replies;
    replies = "";
    isWaiting = true;
    if (last === "") socket.destroy();
    else socket.end(last, "latin1", () => socket.destroy());
  }

  function reset(): void {
    hasMail = false;
    hasRcpt = false;
    to = "";
  }

  function readCommand(): boolean {
    const end = rest.indexOf(LF);
    if (end < 0) return false;
    const line = rest.toString("utf8", 0, end).trimEnd();
    rest = rest.subarray(end + 1);
    const obey = commands[line.slice(0, 4).toUpperCase()];
    if (obey) obey(line);
    else {
      journalNow().faults.push(`no command: ${line.slice(0, 60)}`);
      say("500 5.5.1 what?");
    }
    return true;
  }

  function obeyRcpt(line: string): void {
    to = /<(.*)>/.exec(line)?.[1] ?? "";
    rcptMs = nowMs();
    hasRcpt = false;
    if (!hasMail) say("503 5.5.1 MAIL first");
    else
      perform("rcpt", "250 2.1.5 ok", () => {
        hasRcpt = true;
      });
  }

  function obeyData(): void {
    if (!hasRcpt) {
      say("503 5.5.1 RCPT first");
      return;
    }
    journalNow().data++;
    perform("data", "354 go on", () => {
      if (rest.length > 0) journalNow().faults.push(`a body before its 354, to ${to}`);
      isBody = true;
      chunks = [BEFORE_BODY];
    });
  }

  function readBody(): boolean {
    if (rest.length === 0) return false;
    if (!body) {
      body = beginBody();
      const rule = choose("body", to);
      if (rule?.drop) {
        note("body", null);
        hangUp();
      } else if (rule?.delayMs !== undefined) later(rule.delayMs, () => undefined);
      if (isWaiting) return false;
    }
    // The end may lie across two chunks, so 4 bytes of the one before are looked at again.
    const before = chunks.at(-1)?.subarray(-4) ?? BEFORE_BODY;
    const end = Buffer.concat([before, rest]).indexOf(END);
    const taken = end < 0 ? rest.length : end + END.length - before.length;
    keep(rest.subarray(0, taken));
    body.bytes += taken;
    rest = rest.subarray(taken);
    if (body.bytes > MOST_BYTES) hangUp();
    else if (end >= 0) endBody(body);
    return end >= 0;
  }

  /** Joins small pieces, so that the last 4 bytes are always in one chunk. */
  function keep(part: Buffer): void {
    if (part.length < 4) chunks.push(Buffer.concat([chunks.pop() ?? BEFORE_BODY, part]));
    else chunks.push(part);
  }

  function beginBody(): Body {
    const begun = {
      ...{ connection, client, to, rcptMs, begunMs: nowMs(), dotMs: null, cutMs: null },
      ...{ repliedMs: null, reply: null, taken: false, messageId: null, hash: null, bytes: 0 },
    };
    journalNow().bodies.push(begun);
    return begun;
  }

  function endBody(ended: Body): void {
    ended.dotMs = nowMs();
    Object.assign(ended, describeMessage(Buffer.concat(chunks).subarray(BEFORE_BODY.length, -3)));
    isBody = false;
    body = undefined;
    chunks = [];
    const rule = choose("dot", to);
    const reply = rule?.reply ?? "250 2.0.0 taken";
    // This is decided now, whether or not the client lives to read the reply (RFC 5321 §6.1).
    ended.taken = rule?.drop ? rule.drop === "taken" : reply.startsWith("2");
    if (ended.taken) journalNow().taken++;
    if (rule?.drop || rule?.reply) note("dot", rule.reply ?? null);
    reset();
    later(rule?.delayMs, () => {
      if (rule?.drop) return hangUp();
      ended.reply = reply;
      ended.repliedMs = nowMs();
      say(reply);
      if (reply.startsWith("421")) hangUp();
    });
  }
}
