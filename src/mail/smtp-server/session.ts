/** The dialogue with one client (RFC 5321, RFC 6409): a greeting, TLS, a login where one is wanted, and any number of mails. */
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { type Challenge, readCredentials } from "./auth.ts";
import { readCommand, readMailCommand, readRcptCommand } from "./commands.ts";
import { createInput, type Failure, type Input } from "./input.ts";
import type { Handlers, Limits, SessionFacts } from "./options.ts";
import { formatReply, lastReply, type Reply, reply } from "./reply.ts";
import { handshake, hangUp, plainAddress } from "./sockets.ts";

export type SessionOptions<L> = {
  readonly hostname: string;
  readonly handlers: Handlers<L>;
  readonly limits: Limits;
  /** Returns what TLS needs; undefined where there is none. */
  readonly secureContext: () => SecureContext | undefined;
  /** Whether this client may log in only under TLS. */
  readonly needsTls: boolean;
  /** TLS begins with the first byte. */
  readonly isImplicitTls: boolean;
  readonly address: string;
  readonly hold: (bytes: number) => boolean;
  readonly letGo: (bytes: number) => void;
  /** Is told when the client has shown that it may send. */
  readonly onLogin: () => void;
  /** Is told of a bug in a handler. */
  readonly onError: (error: unknown) => void;
};

export type Session = {
  /** Ends the session once nothing is under way in it: at the next command, with this reply. */
  end(because: Reply): void;
  readonly ended: Promise<void>;
};

type Mail = { readonly from: string; readonly isUtf8: boolean; readonly recipients: string[] };

const OK = reply(250, "2.0.0", "OK");
const TLS_FIRST = reply(530, "5.7.0", "Begin with STARTTLS");
const LOGIN_FIRST = reply(530, "5.7.0", "Log in with AUTH");
const GONE = lastReply(421, "4.3.0", "An error on our side; it has been logged");
/** These are what a client can do to the input; each ends the connection, since nobody knows where the next line begins. */
const FAILURES: Readonly<Record<Exclude<Failure, "interrupted">, Reply | undefined>> = {
  closed: undefined,
  late: lastReply(421, "4.4.2", "That took too long"),
  bare: lastReply(521, "5.5.2", "A line ended with a bare CR or LF; lines end with CR LF"),
  too_long: lastReply(500, "5.5.2", "The line is too long"),
  no_room: lastReply(421, "4.3.1", "Too many large mails are under way; try again later"),
};

export function startSession<L>(raw: Socket, options: SessionOptions<L>): Session {
  const { limits, handlers } = options;
  const connectedMs = performance.now();
  let socket = raw;
  let input: Input = createInput(socket);
  let isSecure = false;
  let helo = "";
  let login = handlers.greet?.(options.address);
  let mail: Mail | undefined;
  let mistakes = 0;
  let failedLogins = 0;
  let refusedRecipients = 0;
  let unsent = "";
  let endsBecause: Reply | undefined;

  /** Replies to commands that came in one piece leave in one piece (RFC 2920 §3.2). */
  async function say(said: Reply): Promise<void> {
    unsent += formatReply(said);
    if (!input.hasMore() || said.closes) await flush();
  }

  async function flush(): Promise<void> {
    const text = unsent;
    unsent = "";
    if (text === "" || !socket.writable || socket.write(text)) return;
    // A client that reads no replies must not fill our memory with them.
    const late = setTimeout(() => socket.destroy(), limits.commandMs);
    await new Promise<void>((resolve) => {
      for (const event of ["drain", "close"]) socket.once(event, () => resolve());
    });
    clearTimeout(late);
  }

  function readLine() {
    const untilMs = performance.now() + limits.commandMs;
    return input.readLine(
      limits.lineBytes,
      login === undefined ? Math.min(untilMs, connectedMs + limits.loginMs) : untilMs,
    );
  }

  async function secure(context: SecureContext): Promise<boolean> {
    input.detach();
    const secured = await handshake(socket, context, limits.loginMs);
    if (!secured) return false;
    [socket, isSecure] = [secured, true];
    input = createInput(socket);
    // RFC 3207 §4.2: what was said before TLS might have been said by anybody.
    [login, mail, helo] = [handlers.greet?.(options.address), undefined, ""];
    return true;
  }

  async function answer(line: Buffer): Promise<Reply> {
    const command = readCommand(line);
    if (!command) return mistake(reply(500, "5.5.2", "A command is text without control characters"));
    const { verb, argument } = command;
    switch (verb) {
      case "EHLO":
      case "LHLO":
      case "HELO":
        mail = undefined;
        if (verb === "LHLO" || argument === "") return mistake(reply(501, "5.5.4", "Say EHLO and your name"));
        helo = argument;
        return verb === "HELO" ? { code: 250, lines: [options.hostname] } : { code: 250, lines: abilities() };
      case "STARTTLS":
        return startTls(argument);
      case "AUTH":
        return logIn(argument);
      case "MAIL":
        return beginMail(argument);
      case "RCPT":
        return addRecipient(argument);
      case "DATA":
        return takeMail(argument);
      case "RSET":
        mail = undefined;
        return OK;
      case "NOOP":
        return OK;
      case "HELP":
        return reply(214, "2.0.0", "See the documentation");
      case "VRFY":
        return reply(252, "2.5.0", "Nobody is looked up here; send the mail");
      case "QUIT":
        return lastReply(221, "2.0.0", "Bye");
      default:
        return mistake(reply(500, "5.5.1", "There is no such command here"));
    }
  }

  function mistake(said: Reply): Reply {
    mistakes++;
    return mistakes < limits.mistakes ? said : lastReply(421, "4.7.0", "Too many mistakes");
  }

  function mayLogIn(): boolean {
    return isSecure || !options.needsTls;
  }

  function abilities(): string[] {
    return [
      options.hostname,
      `SIZE ${limits.mailBytes}`,
      "PIPELINING",
      "8BITMIME",
      "SMTPUTF8",
      "ENHANCEDSTATUSCODES",
      ...(!isSecure && options.secureContext() ? ["STARTTLS"] : []),
      ...(handlers.logIn && mayLogIn() && login === undefined ? ["AUTH PLAIN LOGIN"] : []),
    ];
  }

  async function startTls(argument: string): Promise<Reply> {
    if (argument !== "") return mistake(reply(501, "5.5.4", "STARTTLS takes no argument"));
    if (isSecure) return mistake(reply(503, "5.5.1", "This is TLS already"));
    const context = options.secureContext();
    if (!context) return mistake(reply(502, "5.5.1", "There is no certificate here"));
    // What was sent ahead in the clear would be taken for something said under TLS (CVE-2011-0411).
    if (input.hasMore()) return lastReply(503, "5.5.1", "Wait for the reply to STARTTLS");
    await say(reply(220, "2.0.0", "Begin TLS"));
    if (await secure(context)) return NOTHING;
    return CLOSED;
  }

  async function logIn(argument: string): Promise<Reply> {
    if (!handlers.logIn) return mistake(reply(502, "5.5.1", "Nobody logs in here"));
    if (!mayLogIn()) return TLS_FIRST;
    if (login !== undefined || mail) return mistake(reply(503, "5.5.1", "You have logged in already"));
    const challenge: Challenge = async (text) => {
      await say({ code: 334, lines: [text] });
      const read = await readLine();
      return "ok" in read ? read.ok : undefined;
    };
    const given = await readCredentials(argument, challenge);
    if (given === undefined) return lastReply(421, "4.4.2", "The answer never came");
    if ("code" in given) return mistake(given);
    const found = await handlers.logIn(given, options.address);
    if ("refusal" in found) {
      failedLogins++;
      return failedLogins < limits.failedLogins ? found.refusal : { ...found.refusal, closes: true };
    }
    login = found.login;
    options.onLogin();
    return reply(235, "2.7.0", "Welcome");
  }

  async function beginMail(argument: string): Promise<Reply> {
    if (!mayLogIn()) return TLS_FIRST;
    if (login === undefined) return LOGIN_FIRST;
    if (mail) return mistake(reply(503, "5.5.1", "A mail has begun already"));
    const read = readMailCommand(argument, limits.mailBytes, handlers.greet !== undefined);
    if ("code" in read) return read;
    const refusal = await handlers.beginMail(login, options.address);
    if (refusal) return refusal;
    mail = { ...read, recipients: [] };
    return reply(250, "2.1.0", "OK");
  }

  async function addRecipient(argument: string): Promise<Reply> {
    if (!mail || login === undefined) return mistake(reply(503, "5.5.1", "Say MAIL first"));
    const read = readRcptCommand(argument, mail.isUtf8, handlers.greet !== undefined);
    if ("code" in read) return read;
    if (mail.recipients.length >= limits.recipients)
      return reply(452, "4.5.3", `A mail has at most ${limits.recipients} recipients`);
    const refusal = await handlers.addRecipient?.(login, read.to);
    if (refusal) return refuseRecipient(refusal);
    if (handlers.addRecipient) options.onLogin();
    mail.recipients.push(read.to);
    return reply(250, "2.1.5", "OK");
  }

  function refuseRecipient(refusal: Reply): Reply {
    if (refusal.code >= 500) refusedRecipients++;
    return refusedRecipients < limits.refusedRecipients ? refusal : { ...refusal, closes: true };
  }

  async function takeMail(argument: string): Promise<Reply> {
    const taken = mail;
    if (argument !== "") return mistake(reply(501, "5.5.4", "DATA takes no argument"));
    if (!taken || login === undefined) return mistake(reply(503, "5.5.1", "Say MAIL and RCPT first"));
    if (taken.recipients.length === 0) return mistake(reply(554, "5.5.1", "There is no recipient"));
    mail = undefined;
    unsent += formatReply({ code: 354, lines: ["Go on, and end with a dot on a line of its own"] });
    await flush();
    let held = 0;
    try {
      const read = await input.readData({
        mostBytes: limits.mailBytes,
        idleMs: limits.dataIdleMs,
        untilMs: performance.now() + limits.dataMs,
        hold(bytes) {
          held += bytes;
          return options.hold(bytes);
        },
      });
      if ("failure" in read)
        return read.failure === "too_long"
          ? lastReply(552, "5.3.4", `The mail is larger than ${limits.mailBytes} bytes, which is the most`)
          : replyTo(read.failure);
      return await handlers.takeMail(login, { ...taken, bytes: read.ok, session: facts() });
    } finally {
      options.letGo(held);
    }
  }

  function facts(): SessionFacts {
    const tls = socket instanceof TLSSocket ? socket.getProtocol() : null;
    return { ip: plainAddress(options.address), helo, tls };
  }

  function replyTo(failure: Failure): Reply {
    if (failure !== "interrupted") return FAILURES[failure] ?? CLOSED;
    return { ...(endsBecause ?? GONE), closes: true };
  }

  async function talk(): Promise<void> {
    if (options.isImplicitTls) {
      const context = options.secureContext();
      if (!context || !(await secure(context))) return;
    }
    await say({ code: 220, lines: [`${options.hostname} ESMTP`] });
    for (;;) {
      const read = await readLine();
      const said = "ok" in read ? await answer(read.ok) : replyTo(read.failure);
      if (said === CLOSED) return;
      if (said !== NOTHING) await say(said);
      if (said.closes) return;
      if (endsBecause) return await say({ ...endsBecause, closes: true });
    }
  }

  const ended = talk()
    .catch(async (error) => {
      options.onError(error);
      await say(GONE);
    })
    .finally(() => {
      input.detach();
      return hangUp(socket, raw, limits.lingerMs);
    });
  return {
    end(because) {
      endsBecause = because;
      input.interrupt();
    },
    ended,
  };
}

/** Nothing is to be said: the client speaks next. */
const NOTHING: Reply = { code: 0, lines: [] };
/** Nobody is there any more to say anything to. */
const CLOSED: Reply = { code: 0, lines: [], closes: true };
