import { type Static, Type } from "typebox";
import { UpdatedBy } from "../../accounts/accounts.ts";
import {
  Name,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { FAILURE_CODES, type FailureCode } from "./failures.ts";

const TLS_MODES = ["implicit", "starttls", "none"] as const;
export type TlsMode = (typeof TLS_MODES)[number];
const ONE_LINE = {
  pattern: "^[^\\u0000-\\u001f\\u007f]+$",
  "x-error-detail": "must be one line, and not empty",
};

const Host = Type.String({
  maxLength: 253,
  description:
    "A host name or an IP address. Inside the operator's network only hosts that INTERNAL_HOSTS lists.",
  examples: ["imap.example.com"],
});
const Port = Type.Integer({
  minimum: 1,
  maximum: 65_535,
  description: "143, 993, or from 1024 on. On making it, 993 for `implicit` TLS and 143 else.",
});
const Tls = oneOf(TLS_MODES, {
  description:
    "`implicit`: from the first byte. `starttls`: STARTTLS, or nobody signs in. `none`: only for hosts that INTERNAL_HOSTS lists.",
});
const Username = Type.String({ maxLength: 320, ...ONE_LINE, examples: ["bounces@example.com"] });
const Folder = Type.String({ maxLength: 255, ...ONE_LINE, examples: ["INBOX"] });
const After = Type.String({
  maxLength: 260,
  pattern: "^(keep|seen|delete|move:[^\\u0000-\\u001f\\u007f]+)$",
  "x-error-detail": "must be keep, seen, delete, or move: and the name of a folder",
  description:
    "What becomes of a mail that was taken: `keep` leaves it as it is, `seen` marks it as read, `move:<folder>` moves it there, " +
    "`delete` deletes it. Any other mail is never touched.",
  examples: ["keep", "move:Bounces"],
});
const Paused = Type.Boolean({ description: "Nobody looks into a mailbox that is paused." });
const Password = Type.String({
  maxLength: 1_000,
  ...ONE_LINE,
  writeOnly: true,
  description:
    "Kept encrypted and never shown. Needed again when host, port, TLS or the user name are changed.",
  examples: ["correct horse battery staple"],
});

const Reason = Type.Unsafe<FailureCode | null>({
  type: ["string", "null"],
  enum: [...FAILURE_CODES, null],
  description: "What went wrong, as a word that stays the same.",
});

export const Mailbox = Type.Object(
  {
    object: Type.Literal("mailbox"),
    id: PublicId("mbx"),
    name: Name(200, "Bounces"),
    host: Host,
    port: Port,
    tls: Tls,
    username: Username,
    folder: Folder,
    after: After,
    paused: Paused,
    state: oneOf(["waiting", "ok", "failing", "paused"], {
      description:
        "`waiting` before the first look. `failing`: `last_error` says why; it is tried again, less and less often.",
    }),
    last_checked_at: Nullable({ ...Timestamp, description: "When it was last looked into successfully." }),
    last_error: Type.Unsafe<LastError | null>({
      type: ["object", "null"],
      properties: { reason: Reason, text: Type.String(), at: Timestamp },
      required: ["reason", "text", "at"],
      description: "What went wrong since the last look that succeeded; null where nothing did.",
    }),
    counts: Type.Object({
      taken: Type.Integer({
        description: "Mails that are reports, complaints, unsubscribes or auto-replies.",
      }),
      left: Type.Integer({ description: "Other mails. They were not kept." }),
      cut: Type.Integer({ description: "Mails of more than a MiB, of which only the first MiB was read." }),
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  { title: "Mailbox" },
);
export type Mailbox = Static<typeof Mailbox>;
type LastError = { reason: FailureCode; text: string; at: string };
export const MailboxPage = Page(Mailbox, "MailboxPage");
export const MailboxQuery = PageQuery({});

const optional = {
  port: Type.Optional(Port),
  tls: Type.Optional(Tls),
  folder: Type.Optional(Folder),
  after: Type.Optional(After),
  paused: Type.Optional(Paused),
};
export const MailboxCreate = Strict(
  { name: Name(200, "Bounces"), host: Host, username: Username, password: Password, ...optional },
  {
    title: "MailboxCreate",
    examples: [
      {
        name: "Bounces",
        host: "imap.example.com",
        username: "bounces@example.com",
        password: "correct horse battery staple",
      },
    ],
  },
);
export type MailboxCreate = Static<typeof MailboxCreate>;
export const MailboxPatch = Strict(
  {
    name: Type.Optional(Name(200, "Bounces")),
    host: Type.Optional(Host),
    username: Type.Optional(Username),
    password: Type.Optional(Password),
    ...optional,
  },
  { title: "MailboxPatch", examples: [{ after: "seen" }] },
);
export type MailboxPatch = Static<typeof MailboxPatch>;

export const MailboxTest = Type.Object(
  {
    object: Type.Literal("mailbox_test"),
    mailbox_id: PublicId("mbx"),
    ok: Type.Boolean(),
    reason: Reason,
    text: Nullable(Type.String({ description: "What went wrong and what to do about it." })),
    encrypted: Type.Boolean({ description: "Whether TLS was in use." }),
    idle: Type.Boolean({ description: "Whether the server tells of new mail at once." }),
    messages: Nullable(Type.Integer({ description: "How many mails the folder holds." })),
    tested_at: Timestamp,
  },
  { title: "MailboxTest" },
);
export type MailboxTest = Static<typeof MailboxTest>;
