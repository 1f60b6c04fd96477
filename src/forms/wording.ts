/**
 * What people agreed to, word for word. A page, a snippet or a script shows a form for hours or years, and the form may change
 * meanwhile; so what it shows is signed and sent along, and the consent has exactly that.
 */
import type { Secrets } from "../platform/secrets.ts";

export type ShownWording = {
  readonly version: number;
  /** The language that it was shown in. */
  readonly locale: string;
  readonly consent: string;
  /** Null where nobody was asked. */
  readonly tracking: string | null;
};

export function signWording(secrets: Secrets, formId: string, shown: ShownWording): string {
  const { version, locale, consent, tracking } = shown;
  const text = Buffer.from(JSON.stringify([version, locale, consent, tracking])).toString("base64url");
  return `${text}.${secrets.mac("form-wording", formId, text).toString("base64url")}`;
}

/** Undefined where it isn't ours: then nobody can say what was shown. */
export function readWording(secrets: Secrets, formId: string, signed: string): ShownWording | undefined {
  const [text = "", mac = ""] = signed.split(".");
  if (!secrets.verify("form-wording", Buffer.from(mac, "base64url"), formId, text)) return undefined;
  const [version, locale, consent, tracking] = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  return { version, locale, consent, tracking };
}
