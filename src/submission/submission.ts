/**
 * SMTP submission: a program that can send by SMTP sends by us, with an API key for a password. A submitted mail becomes
 * the same thing as one of POST /v1/emails, and is answered with 250 once it is durable. This file is what other folders may use.
 */
import type { Socket } from "node:net";
import type { KeyCheck } from "../accounts/accounts.ts";
import type { AcceptTools } from "../emails/emails.ts";
import { createSmtpServer, type Reply, reply, type TakenMail } from "../mail/smtp-server/smtp-server.ts";
import type { Clock } from "../platform/clock.ts";
import { createConcurrencyLimit } from "../platform/concurrency-limit.ts";
import type { Db } from "../platform/db/db.ts";
import { networkOf } from "../platform/http/address.ts";
import { toAppError } from "../platform/http/problem-reply.ts";
import { explainListenError } from "../platform/listen-error.ts";
import type { Log } from "../platform/log.ts";
import { AppError, databaseBusy } from "../platform/problems.ts";
import { StartupError } from "../platform/startup-error.ts";
import { openTlsFiles, type TlsFiles } from "../platform/tls-files.ts";
import { createAccess, type Login } from "./access.ts";
import { readSubmitted } from "./read-submitted.ts";
import { refusalOf } from "./refusals.ts";
import { createSubmittedStore, type StoredMail } from "./store-submitted.ts";

export type SubmissionOptions = {
  readonly host: string;
  readonly port: number;
  /** The port where TLS begins with the first byte, if there is one. */
  readonly tlsPort: number | undefined;
  readonly tlsFiles: TlsFiles | undefined;
  /** The name by which the server greets. */
  readonly hostname: string;
  readonly rateLimitPerMinute: number;
  readonly tools: AcceptTools;
  readonly keyCheck: KeyCheck;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
};

export type Submission = { stop(graceMs: number): Promise<void> };

/** Reading a large mail takes a part of a second of one core and several times its size; small ones come first meanwhile. */
const LARGE_BYTES = 1_024 * 1_024;
const LARGE_AT_ONCE = 2;
const LARGE_WAITING = 50;

export async function startSubmission(options: SubmissionOptions): Promise<Submission> {
  const { host, port, tlsPort, tlsFiles, keyCheck, log } = options;
  if (!tlsFiles && (tlsPort !== undefined || !isLoopback(host)))
    throw new StartupError(
      `SMTP submission on ${tlsPort === undefined ? host : "a port with TLS"} needs a certificate`,
      "set TLS_CERT_FILE and TLS_KEY_FILE, or HOST to 127.0.0.1",
    );
  const secureContext = tlsFiles ? openTlsFiles(tlsFiles, log) : () => undefined;
  const access = createAccess(options);
  const take = createTaker(options);
  const refuse = (error: unknown): Reply => {
    const { problem } = toAppError(error);
    if (problem.status >= 500) log.error({ code: problem.code, err: error }, "a submitted mail failed");
    return refusalOf(error);
  };
  const server = createSmtpServer<Login>({
    hostname: options.hostname,
    secureContext,
    networkOf,
    needsTls: ({ remoteAddress }: Socket) => !isLoopback(remoteAddress ?? ""),
    onError: (error) => log.error({ err: error }, "SMTP submission failed"),
    handlers: {
      logIn: (credentials, address) =>
        access.logIn(credentials, address).then(
          (login) => ({ login }),
          (error) => ({ refusal: refuse(error) }),
        ),
      beginMail: (login, address) => access.admitMail(login, address).then(() => undefined, refuse),
      takeMail: (login, mail) => take(login, mail).then(accepted, refuse),
    },
  });
  await listen(server, { host, port, isImplicitTls: false }, log);
  if (tlsPort !== undefined) await listen(server, { host, port: tlsPort, isImplicitTls: true }, log);
  return {
    async stop(graceMs) {
      await server.stop(graceMs);
      await keyCheck.stop();
    },
  };
}

/** Returns what reads a mail and stores it. It runs outside the server's own error handling, so whatever it throws is a refusal. */
function createTaker(options: SubmissionOptions) {
  const store = createSubmittedStore({ ...options.tools, ...options });
  const limited = createConcurrencyLimit({
    atOnce: LARGE_AT_ONCE,
    mostWaiting: LARGE_WAITING,
    refuse: () => new AppError(databaseBusy, "too many large mails are under way; try again in a moment"),
  });
  const take = async ({ principal }: Login, { bytes, recipients }: TakenMail): Promise<StoredMail> => {
    const { given, messageId } = readSubmitted({ bytes, recipients });
    return store(principal, given, { messageId, recipients, bytes });
  };
  return (login: Login, mail: TakenMail) =>
    mail.bytes.length < LARGE_BYTES ? take(login, mail) : limited(() => take(login, mail));
}

function accepted({ id, recipients, suppressed }: StoredMail): Reply {
  const some =
    suppressed === 0 ? "" : `; ${suppressed} of ${recipients} recipients are suppressed and get nothing`;
  return reply(250, "2.0.0", `Accepted as ${id}${some}`);
}

type Server = ReturnType<typeof createSmtpServer>;

async function listen(server: Server, place: Parameters<Server["listen"]>[0], log: Log): Promise<void> {
  const listening = await server.listen(place).catch((error: NodeJS.ErrnoException) => {
    const setting = place.isImplicitTls ? "SUBMISSION_TLS_PORT" : "SUBMISSION_PORT";
    throw explainListenError(error, { ...place, setting });
  });
  log.info({ port: listening, host: place.host, tls: place.isImplicitTls }, "takes mail by SMTP");
}

function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:/i, "");
  return bare === "localhost" || bare === "::1" || /^127\.\d+\.\d+\.\d+$/.test(bare);
}
