import { type Static, Type } from "typebox";
import { UpdatedBy } from "../../accounts/accounts.ts";
import { MAILBOX_PROVIDERS } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { TlsMode } from "../../mail/smtp/smtp.ts";
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
import { ProviderClosing } from "../providers/providers.ts";
import { STREAMS } from "../types.ts";
import { STEPS, type Step } from "./advice.ts";
import { OUT_REASONS, type OutReason } from "./store.ts";

const TLS_MODES: readonly TlsMode[] = ["implicit", "required", "opportunistic", "never"];
const ONE_LINE = { pattern: "^[^\\u0000\\r\\n]+$", "x-error-detail": "must be one line, and not empty" };

const Host = Type.String({
  maxLength: 253,
  description:
    "A host name or an IP address. Inside the operator's network only hosts that INTERNAL_HOSTS lists.",
  examples: ["smtp.example.com"],
});
const Port = Type.Integer({
  minimum: 1,
  maximum: 65_535,
  description: "25, 465, 587, or from 1024 on. On making it, 465 for `implicit` TLS and 587 else.",
});
const Tls = oneOf(TLS_MODES, {
  description:
    "`implicit`: from the first byte. `required`: STARTTLS, or nothing is sent. `opportunistic`: STARTTLS where it is " +
    "offered. `never`. A password is never sent without TLS.",
});
const Username = Nullable(Type.String({ maxLength: 320, ...ONE_LINE, examples: ["postrider"] }));
const EhloName = Nullable(
  Type.String({
    maxLength: 253,
    pattern: "^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$",
    "x-error-detail": "must be a host name",
    description: "What we call ourselves to the server; the machine's own name by default.",
  }),
);
const VerifyCertificate = Type.Boolean({
  description:
    "Off only for a server whose certificate nobody signed: anybody in between can read along then.",
});
const MaxConnections = Type.Integer({ minimum: 1, maximum: 100, description: "At once, in each sender." });
const RatePerSecond = Nullable(
  Type.Number({ minimum: 0.01, maximum: 10_000, description: "Messages, over all senders. Null: no limit." }),
);
const MaxPerDay = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 100_000_000,
    description:
      "Messages in a day of UTC, over all senders and to all mailbox providers together. What is left waits for the next day. Null: no limit.",
  }),
);
const Streams = Type.Array(oneOf(STREAMS), {
  maxItems: STREAMS.length,
  uniqueItems: true,
  description:
    "The streams in whose order (`/v1/transport_pools`) it stands first. Given to this one, a stream is taken from all others; taken " +
    "from it, the stream leaves by the next in its order. `transactional` and " +
    "`automation` leave by campaign's where they have none; else a stream leaves by the instance's, or where there is none, " +
    "by that of another stream.",
});

const Finding = {
  ok: Type.Boolean(),
  phase: Type.Unsafe<Step | null>({
    type: ["string", "null"],
    enum: [...STEPS, null],
    description: "Where it went wrong.",
  }),
  code: Nullable(Type.Integer({ description: "The server's reply, where it gave one." })),
  text: Nullable(Type.String({ description: "In the server's words, or in ours where it said nothing." })),
};

const Provider = oneOf(
  MAILBOX_PROVIDERS.map(({ key }) => key),
  { description: "A mailbox provider, such as `google`.", examples: ["google"] },
);
const OutMembers = {
  since: Timestamp,
  reason: oneOf(OUT_REASONS, {
    description:
      "`refused`: its server doesn't let us in, or takes none of our mail. `unreachable`: no connection, or each is lost with the mail on it.",
  }),
  detail: Nullable(Type.String({ description: "In the server's words, or in ours where it said nothing." })),
  next_try_at: Nullable(Timestamp),
};

export const Transport = Type.Object(
  {
    object: Type.Literal("transport"),
    id: PublicId("trn"),
    name: Name(200, "Our relay"),
    host: Host,
    port: Port,
    tls: Tls,
    verify_certificate: VerifyCertificate,
    username: Username,
    has_password: Type.Boolean({ description: "The password itself is never shown." }),
    ehlo_name: EhloName,
    max_connections: MaxConnections,
    rate_per_second: RatePerSecond,
    max_per_day: MaxPerDay,
    has_warmup: Type.Boolean({ description: "Whether it has a warm-up plan, running or paused." }),
    streams: Streams,
    closings: Type.Array(ProviderClosing, {
      description:
        "The mailbox providers that get nothing by it for now, because they asked for less or refused us. Their mail waits, and goes by itself.",
    }),
    last_test: Type.Unsafe<LastTest | null>({
      type: ["object", "null"],
      properties: { tested_at: Timestamp, ...Finding },
      required: ["tested_at", ...Object.keys(Finding)],
      description: "What the last test found; null before the first, and after an edit of how it is reached.",
    }),
    out: Type.Unsafe<Out | null>({
      type: ["object", "null"],
      properties: OutMembers,
      required: Object.keys(OutMembers),
      description:
        "Says since when and why it is put out, so that mail leaves by the next in the order. Null while it is in.",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  { title: "Transport" },
);
export type Transport = Static<typeof Transport>;
type Out = { since: string; reason: OutReason; detail: string | null; next_try_at: string | null };
type LastTest = {
  tested_at: string;
  ok: boolean;
  phase: Step | null;
  code: number | null;
  text: string | null;
};
export const TransportPage = Page(Transport, "TransportPage");
export const TransportQuery = PageQuery({
  stream: Type.Optional(oneOf(STREAMS, { description: "The one that this leaves by." })),
});

const Password = Nullable(
  Type.String({
    maxLength: 1_000,
    ...ONE_LINE,
    writeOnly: true,
    description: "Kept encrypted. Needed again when host, port, TLS or the certificate's check are changed.",
    examples: ["correct horse battery staple"],
  }),
);
const optional = {
  port: Type.Optional(Port),
  tls: Type.Optional(Tls),
  verify_certificate: Type.Optional(VerifyCertificate),
  username: Type.Optional(Username),
  password: Type.Optional(Password),
  ehlo_name: Type.Optional(EhloName),
  max_connections: Type.Optional(MaxConnections),
  rate_per_second: Type.Optional(RatePerSecond),
  max_per_day: Type.Optional(MaxPerDay),
  streams: Type.Optional(Streams),
};
export const TransportCreate = Strict(
  { name: Name(200, "Our relay"), host: Host, ...optional },
  {
    title: "TransportCreate",
    examples: [
      {
        name: "Our relay",
        host: "smtp.example.com",
        port: 587,
        username: "postrider",
        password: "correct horse battery staple",
        streams: ["campaign"],
      },
    ],
  },
);
export type TransportCreate = Static<typeof TransportCreate>;
export const TransportPatch = Strict(
  { name: Type.Optional(Name(200, "Our relay")), host: Type.Optional(Host), ...optional },
  { title: "TransportPatch", examples: [{ rate_per_second: 20 }] },
);
export type TransportPatch = Static<typeof TransportPatch>;

export const TransportReopen = Strict(
  { provider: Provider },
  { title: "TransportReopen", examples: [{ provider: "google" }] },
);

const Address = Type.String({ maxLength: 1_000, examples: ["ada@example.com"] });
export const TransportTestInput = Strict(
  {
    to: Type.Optional(Address),
    from: Type.Optional(Address),
  },
  { title: "TransportTestInput", examples: [{ to: "ada@example.com" }] },
);
export type TransportTestInput = Static<typeof TransportTestInput>;

export const TransportTest = Type.Object(
  {
    object: Type.Literal("transport_test"),
    transport_id: PublicId("trn"),
    ...Finding,
    advice: Nullable(Type.String({ description: "What to do about it." })),
    encrypted: Type.Boolean({ description: "Whether TLS was in use." }),
    to: Nullable(Type.String({ description: "Where a message was sent to." })),
    steps: Type.Array(Type.Object({ phase: oneOf(STEPS), duration_ms: Type.Integer() }), {
      description: "What was done, in its order, and how long each took.",
    }),
    tested_at: Timestamp,
  },
  { title: "TransportTest" },
);
export type TransportTest = Static<typeof TransportTest>;
