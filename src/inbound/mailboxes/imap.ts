/**
 * A connection to an account's IMAP server, bounded in every way: the server was chosen by the account, and may be anything.
 * Each command has a time limit and a limit of bytes; beyond either, the connection is closed.
 */
import { ImapFlow } from "imapflow";
import { createEgressFilter } from "../../platform/net/egress-filter.ts";
import { conceal, failureOf, MailboxError } from "./failures.ts";
import { mayBePlain } from "./input.ts";
import type { MailboxRow } from "./store.ts";

export type ImapServer = Pick<MailboxRow, "host" | "port" | "tls" | "username"> & {
  readonly password: string;
};

export type ImapOptions = {
  readonly internalHosts: readonly string[];
  /** Closes the connection, whatever is under way. */
  readonly signal: AbortSignal;
  readonly limitMs?: number;
};

export type Folder = {
  readonly uidValidity: number;
  /** Null where the server doesn't say. */
  readonly uidNext: number | null;
  readonly exists: number;
};

export type ListedMail = { readonly uid: number; readonly size: number; readonly arrivedAt: Date };
export type FetchedMail = { readonly uid: number; readonly raw: Buffer };

export type Imap = {
  readonly hasIdle: boolean;
  readonly isEncrypted: boolean;
  openFolder(folder: string, isReadOnly: boolean): Promise<Folder>;
  /** Lists what has such a number, by UID or by place in the folder, and stops after `most`. */
  list(range: string, by: "uid" | "place", most: number): Promise<readonly ListedMail[]>;
  /** Fetches the beginning of each mail, `mostBytes` long. It marks nothing as read. */
  fetch(uids: readonly number[], mostBytes: number): Promise<readonly FetchedMail[]>;
  /** Does to mails what the account asked for; `after` isn't `keep`. It throws where the server refuses. */
  settle(uids: readonly number[], after: string): Promise<void>;
  /** Waits for `forMs`, or less where the server ends it; returns whether there is new mail. */
  idle(forMs: number): Promise<boolean>;
  /** Says goodbye, and closes the connection either way. */
  close(): Promise<void>;
};

const LIMIT_MS = 30_000;
/** Groups of mails are this slow over a line of 1 Mbit/s. */
const FETCH_LIMIT_MS = 120_000;
const LOGOUT_LIMIT_MS = 2_000;
/** No answer but that with a mail is longer. */
const MOST_LINE_BYTES = 1_048_576;
const MOST_LITERAL_BYTES = 2 * MOST_LINE_BYTES;
const MOST_FETCHED_BYTES = 16 * MOST_LINE_BYTES;
/** What doesn't bring mails is answered by some lines. A flood of short ones takes more of the processor than of the line. */
const MOST_ANSWER_BYTES = 131_072;
const METER_EVERY_MS = 100;
/** Nobody is so quiet for longer, since IDLE is ended and begun anew before. */
const QUIET_MS = 600_000;

export async function connectImap(server: ImapServer, options: ImapOptions): Promise<Imap> {
  const { internalHosts, signal, limitMs = LIMIT_MS } = options;
  const filter = createEgressFilter(internalHosts);
  if (filter.refusesAddress(server.host)) throw internalHost();
  if (server.tls === "none" && !mayBePlain(internalHosts, server.host)) throw internalHost();
  const client = new ImapFlow({
    host: server.host,
    port: server.port,
    secure: server.tls === "implicit",
    ...(server.tls !== "implicit" && { doSTARTTLS: server.tls === "starttls" }),
    auth: { user: server.username, pass: server.password },
    // These options are passed to `net.connect` too, so the filter sees every address before anything is sent to it.
    tls: { lookup: filter.lookup, rejectUnauthorized: true },
    clientInfo: { name: "Postrider", version: false, vendor: false, "support-url": false },
    logger: false,
    disableAutoIdle: true,
    disableAutoEnable: true,
    disableIMAP4rev2: true,
    // A compressed answer could be a thousand times as long as what came over the line.
    disableCompression: true,
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: QUIET_MS,
    maxLineLength: MOST_LINE_BYTES,
    maxLiteralSize: MOST_LITERAL_BYTES,
    maxResponseSize: MOST_LITERAL_BYTES + MOST_LINE_BYTES,
  });
  const run = createRunner(client, server.password, signal);
  await run("signing in", limitMs, () => client.connect());
  return createCommands(client, run, limitMs);
}

function internalHost(): MailboxError {
  return new MailboxError("internal_host", failureOf({ code: "EINTERNAL" }).text);
}

const CLOSED_BY_SERVER = ["closed", "The server closed the connection."] as const;

type Run = <T>(what: string, limitMs: number, work: () => Promise<T>, mostBytes?: number) => Promise<T>;

/** Every command is run by this: it ends in time, and its failure says what was the matter. */
function createRunner(client: ImapFlow, password: string, signal: AbortSignal): Run {
  /** What broke the connection; commands that fail for it only know that there is none. */
  let broken: unknown;
  // Without a listener, an error of the connection would end the process.
  client.on("error", (error) => {
    broken ??= error;
    client.close();
  });
  return async (what, limitMs, work, mostBytes = MOST_ANSWER_BYTES) => {
    const startBytes = client.stats().received;
    const breakOff = (error: Error) => {
      broken ??= error;
      client.close();
    };
    const late = setTimeout(
      () => breakOff(new MailboxError("timeout", `The server took too long: ${what} was given up.`)),
      limitMs,
    );
    const meter = setInterval(() => {
      if (client.stats().received - startBytes > mostBytes) {
        breakOff(
          new MailboxError("too_much", `The server sends more than was asked for: ${what} was given up.`),
        );
      }
    }, METER_EVERY_MS);
    const stop = () => breakOff(new MailboxError("closed", "We closed the connection."));
    signal.addEventListener("abort", stop, { once: true });
    try {
      if (signal.aborted) stop();
      const done = await work();
      // Some commands of imapflow answer false where the connection broke.
      if (broken !== undefined || client.isClosed) throw broken ?? new MailboxError(...CLOSED_BY_SERVER);
      return done;
    } catch (error) {
      client.close();
      const { code, text } = conceal(failureOf(broken ?? error), password);
      throw new MailboxError(code, text);
    } finally {
      clearTimeout(late);
      clearInterval(meter);
      signal.removeEventListener("abort", stop);
    }
  };
}

function createCommands(client: ImapFlow, run: Run, limitMs: number): Imap {
  /** How many mails there were when the folder was opened. More of them may have come while it was read. */
  let seen = 0;
  return {
    hasIdle: client.capabilities.has("IDLE"),
    isEncrypted: client.secureConnection,
    openFolder: (folder, readOnly) =>
      run("opening the folder", limitMs, async () => {
        const { uidValidity, uidNext, exists } = await client.mailboxOpen(folder, { readOnly });
        seen = Number(exists ?? 0);
        return {
          uidValidity: Number(uidValidity ?? 0),
          uidNext: Number(uidNext) > 0 ? Number(uidNext) : null,
          exists: seen,
        };
      }),
    list: (range, by, most) =>
      run(
        "listing mails",
        limitMs,
        async () => {
          const listed: ListedMail[] = [];
          const query = { uid: true, size: true, internalDate: true };
          for await (const { uid, size, internalDate } of client.fetch(range, query, { uid: by === "uid" })) {
            const arrivedAt = new Date(internalDate ?? Number.NaN);
            if (Number.isSafeInteger(uid) && uid > 0) listed.push({ uid, size: size ?? 0, arrivedAt });
            if (listed.length >= most) break;
          }
          return listed;
        },
        MOST_LINE_BYTES,
      ),
    fetch: (uids, mostBytes) =>
      run(
        "fetching mails",
        FETCH_LIMIT_MS,
        async () => {
          const asked = new Set(uids);
          const query = { uid: true, source: { start: 0, maxLength: mostBytes } };
          const fetched: FetchedMail[] = [];
          for await (const { uid, source } of client.fetch(uids.join(","), query, { uid: true })) {
            // A server may also tell of flags that changed, or of what nobody asked for.
            if (source && asked.delete(uid)) fetched.push({ uid, raw: source.subarray(0, mostBytes) });
          }
          return fetched;
        },
        MOST_FETCHED_BYTES,
      ),
    settle: (uids, after) => run("marking mails", limitMs, () => settleMails(client, uids.join(","), after)),
    idle: async (forMs) =>
      (client.mailbox && client.mailbox.exists > seen) || idleFor(client, run, forMs, limitMs),
    async close() {
      await run("signing out", LOGOUT_LIMIT_MS, () => client.logout()).catch(() => undefined);
      client.close();
    },
  };
}

async function settleMails(client: ImapFlow, uids: string, after: string): Promise<void> {
  const options = { uid: true };
  const isDone = async () => {
    if (after === "seen") return client.messageFlagsAdd(uids, ["\\Seen"], options);
    if (after === "delete") return deleteMails(client, uids);
    const folder = after.slice("move:".length);
    if (client.capabilities.has("MOVE")) return client.messageMove(uids, folder, options);
    return (await client.messageCopy(uids, folder, options)) && deleteMails(client, uids);
  };
  if (await isDone()) return;
  if (client.isClosed) throw new MailboxError(...CLOSED_BY_SERVER);
  const what = after.startsWith("move:")
    ? "moved; is the folder there?"
    : after === "seen"
      ? "marked."
      : "deleted.";
  throw new MailboxError("not_settled", `Mail could be read, but not ${what}`);
}

/**
 * Without UIDPLUS (RFC 4315), EXPUNGE also removes what others have marked as deleted. Then the mails are only marked, and
 * go with whatever empties the folder next.
 */
function deleteMails(client: ImapFlow, uids: string): Promise<boolean> {
  return client.capabilities.has("UIDPLUS")
    ? client.messageDelete(uids, { uid: true })
    : client.messageFlagsAdd(uids, ["\\Deleted"], { uid: true });
}

/** A server that doesn't answer the end of IDLE is found out by the NOOP, which has a limit. */
async function idleFor(client: ImapFlow, run: Run, forMs: number, limitMs: number): Promise<boolean> {
  let isNew = false;
  await run("waiting for mail", forMs + limitMs, async () => {
    const ended = Promise.withResolvers<void>();
    const onNews = () => {
      isNew = true;
      ended.resolve();
    };
    const timer = setTimeout(ended.resolve, forMs);
    client.on("exists", onNews);
    client.on("close", ended.resolve);
    try {
      // A server may end IDLE by itself, or refuse it; either way there is nothing to wait for.
      client.idle().then(
        () => ended.resolve(),
        () => ended.resolve(),
      );
      await ended.promise;
    } finally {
      clearTimeout(timer);
      client.off("exists", onNews);
      client.off("close", ended.resolve);
    }
  });
  await run("ending the wait", limitMs, () => client.noop());
  return isNew;
}
