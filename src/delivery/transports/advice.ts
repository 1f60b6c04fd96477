/** Each way in which a server doesn't take our mail has a plain sentence here that says what to do about it. */
import type { Phase, Result } from "../../mail/smtp/smtp.ts";

/** The steps as people see them: a TLS handshake is one step whichever way it begins, and so is the text of a message. */
export const STEPS = [
  "connect",
  "tls",
  "greeting",
  "ehlo",
  "auth",
  "mail",
  "rcpt",
  "data",
  "message",
] as const;
export type Step = (typeof STEPS)[number];

export function stepOf(phase: Phase | "message"): Step {
  if (phase === "starttls") return "tls";
  if (phase === "body" || phase === "dot") return "data";
  return phase === "waiting" ? "connect" : phase;
}

type Rule = {
  readonly steps: readonly Step[];
  /** Must match the failure's text, which is the system's own name of the fault, or the server's words. */
  readonly says?: RegExp;
  readonly code?: (code: number | null) => boolean;
  readonly advice: string;
};

const temporary = (code: number | null) => code !== null && code < 500;
const none = (code: number | null) => code === null;

/** The first rule that fits is taken, and the last rule of each step fits always. */
const RULES: readonly Rule[] = [
  {
    steps: ["connect"],
    says: /EINTERNAL/,
    advice:
      "The host leads inside the operator's network. If it is meant to, ask the operator to list it in INTERNAL_HOSTS.",
  },
  {
    steps: ["connect"],
    says: /ENOTFOUND|EAI_NONAME|ENODATA/,
    advice: "There is no such host: check how its name is spelt.",
  },
  {
    steps: ["connect"],
    says: /EAI_AGAIN/,
    advice:
      "The host's name could not be looked up just now: try again, and check the name and this machine's DNS.",
  },
  {
    steps: ["connect"],
    says: /ECONNREFUSED/,
    advice:
      "Nothing listens on this port of the host: check the port. Submission is 587, or 465 with implicit TLS.",
  },
  {
    steps: ["connect"],
    says: /EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/,
    advice: "There is no way to this host from here: check the host, and the network of this machine.",
  },
  {
    steps: ["connect"],
    advice:
      "The host doesn't answer on this port: check both, and the firewalls between. Many hosting companies block port 25; use 587 or 465.",
  },
  {
    steps: ["tls"],
    says: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|self[- ]signed/i,
    advice:
      "Nobody we know has signed the server's certificate: install one from a public authority there, or switch verify_certificate off if you trust the network in between.",
  },
  {
    steps: ["tls"],
    says: /ALTNAME/,
    advice: "The server's certificate is for another name: write the host as the certificate does.",
  },
  {
    steps: ["tls"],
    says: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|expired/,
    advice: "The server's certificate is out of date: have it renewed, and check the clock of this machine.",
  },
  {
    steps: ["tls"],
    says: /offers no STARTTLS/,
    advice:
      "The server offers no TLS on this port: use port 465 with implicit TLS, or tls opportunistic if the mail may travel in plain text.",
  },
  {
    steps: ["tls"],
    code: (code) => code !== null,
    advice: "The server offers TLS and then refuses it: try again later, or ask whoever runs it.",
  },
  {
    steps: ["tls"],
    says: /WRONG_VERSION|wrong version|PACKET_LENGTH|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS/i,
    advice:
      "What answers there speaks no TLS that we know: for port 587 or 25 choose tls required, implicit is for port 465.",
  },
  {
    steps: ["tls"],
    advice: "The TLS handshake came to nothing: check that tls and port belong together, and try again.",
  },
  {
    steps: ["greeting", "ehlo"],
    code: temporary,
    advice: "The server is busy or wants us to come back later: try again in some minutes.",
  },
  {
    steps: ["greeting"],
    code: none,
    advice:
      "What listens there doesn't greet as an SMTP server does: port 465 wants tls implicit; else check host and port.",
  },
  {
    steps: ["greeting", "ehlo"],
    advice:
      "The server won't talk to this machine: ask whoever runs it to allow its address, and check ehlo_name.",
  },
  {
    steps: ["auth"],
    says: /isn't sent without it/,
    advice: "There is no TLS, and a password isn't sent without it: choose tls required or implicit.",
  },
  {
    steps: ["auth"],
    says: /offers no way to sign in/,
    advice:
      "The server asks nobody to sign in on this port: use its submission port (587 or 465), or leave user name and password out.",
  },
  {
    steps: ["auth"],
    says: /another SECRET_KEY/,
    advice: "Enter the password again: the one that is stored can't be read any more.",
  },
  {
    steps: ["auth"],
    code: (code) => code === 534 || code === 538,
    advice: "The server wants another way to sign in: look in its documents for an app password.",
  },
  {
    steps: ["auth"],
    code: temporary,
    advice: "The server can't check the password just now: try again in some minutes.",
  },
  {
    steps: ["auth"],
    code: none,
    advice: "The server hung up at the sign-in: check user name and password, and try again.",
  },
  {
    steps: ["auth"],
    advice:
      "The server refuses user name and password: enter them again. Some providers want an app password or an API key.",
  },
  {
    steps: ["mail", "rcpt", "data"],
    code: temporary,
    advice: "The server takes no mail just now, or has us on a grey list: try again in some minutes.",
  },
  {
    steps: ["mail", "rcpt", "data"],
    code: (code) => code === 530,
    advice: "The server wants a sign-in: give user name and password.",
  },
  {
    steps: ["mail"],
    code: (code) => code !== null,
    advice:
      "The server won't send for this sender: have the address or its domain verified there, or test with another from.",
  },
  {
    steps: ["rcpt"],
    code: (code) => code !== null,
    advice:
      "The server won't pass mail on to this recipient: check the address, and whether the relay wants a sign-in or a verified domain.",
  },
  {
    steps: ["data"],
    code: (code) => code !== null,
    advice:
      "The server refuses the message itself: its words say why; most often sender and domain aren't verified there.",
  },
  {
    steps: STEPS,
    advice:
      "The connection was lost in the middle of a message: try again, and look into the server's log if it stays.",
  },
];

export function adviseOn({ phase, code, text }: Pick<Result, "phase" | "code" | "text">): string {
  const step = stepOf(phase);
  const rule = RULES.find(
    (one) => one.steps.includes(step) && (one.says?.test(text) ?? true) && (one.code?.(code) ?? true),
  );
  return rule?.advice ?? "";
}
