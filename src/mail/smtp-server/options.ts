/** What a server is told: whom it lets in, what becomes of mails, and how much it bears. */
import type { Credentials } from "./auth.ts";
import type { Reply } from "./reply.ts";

export type TakenMail = {
  readonly from: string;
  /** As RCPT named them, in order; the same one may be there twice. */
  readonly recipients: readonly string[];
  /** The whole mail, header and body, with CR LF at the end of each line. */
  readonly bytes: Buffer;
  readonly session: SessionFacts;
};

/** What a session shows of its client. */
export type SessionFacts = {
  readonly ip: string;
  /** The name that it gave with EHLO or HELO; "" where it gave none. */
  readonly helo: string;
  /** The version of TLS, such as TLSv1.3; null in the clear. */
  readonly tls: string | null;
};

/** `L` is what the handlers remember of a client: one who has logged in, or whoever connects where nobody logs in. */
export type Handlers<L> = {
  /** Is there in place of `logIn` where anybody may send, as to a server that a domain's MX record names. */
  greet?(address: string): L;
  logIn?(
    credentials: Credentials,
    address: string,
  ): Promise<{ readonly login: L } | { readonly refusal: Reply }>;
  /** Returns a refusal, or undefined where the client may send a mail. */
  beginMail(login: L, address: string): Promise<Reply | undefined>;
  /** Returns a refusal, or undefined where mail for this recipient is taken. Without it, all recipients are. */
  addRecipient?(login: L, recipient: string): Promise<Reply | undefined>;
  /** The reply says what became of it. 2xx means that it is kept, whatever crashes. */
  takeMail(login: L, mail: TakenMail): Promise<Reply>;
};

export type Limits = {
  readonly connections: number;
  readonly connectionsOfNetwork: number;
  readonly recipients: number;
  readonly mailBytes: number;
  /** All mails together that are being received or worked on. */
  readonly heldBytes: number;
  readonly lineBytes: number;
  readonly mistakes: number;
  readonly failedLogins: number;
  /** Whoever names so many recipients that are refused is guessing, and is let go. */
  readonly refusedRecipients: number;
  /** From the connection to the login. */
  readonly loginMs: number;
  /** From one reply to the end of the next command. */
  readonly commandMs: number;
  readonly dataIdleMs: number;
  readonly dataMs: number;
  /** How long a client may still send after the last reply. */
  readonly lingerMs: number;
};

/** RFC 5321 §4.5.3.2 asks for 5 minutes between commands and 3 within a mail; strangers get less. */
export const LIMITS: Limits = {
  connections: 1_000,
  connectionsOfNetwork: 100,
  recipients: 50,
  mailBytes: 28 * 1_024 * 1_024,
  heldBytes: 256 * 1_024 * 1_024,
  lineBytes: 2_048,
  mistakes: 10,
  failedLogins: 3,
  refusedRecipients: 10,
  loginMs: 60_000,
  commandMs: 300_000,
  dataIdleMs: 60_000,
  dataMs: 600_000,
  lingerMs: 2_000,
};
