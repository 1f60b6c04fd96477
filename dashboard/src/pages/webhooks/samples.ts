/** Code that verifies a signature, for whoever writes a receiver. A test runs each of them on what the service really signs. */

const TYPESCRIPT = `import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

/** The body must be the text as it came, before it is parsed. */
export function verify(secret: string, headers: Headers, body: string): boolean {
  const id = headers.get("webhook-id") ?? "";
  const timestamp = headers.get("webhook-timestamp") ?? "";
  const signatures = headers.get("webhook-signature") ?? "";
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(ageSeconds <= TOLERANCE_SECONDS)) return false;

  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  // While a secret is being changed there are two signatures.
  return signatures.split(" ").some((one) => {
    const [version, text = ""] = one.split(",");
    const given = Buffer.from(text, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;

const PYTHON = `import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def verify(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """The body must be the bytes as they came; the names of headers are in small letters."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False

    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # While a secret is being changed there are two signatures.
    return any(hmac.compare_digest(expected, one.encode()) for one in signatures.split(" "))
`;

export type Posted = { readonly url: string; readonly id: string; readonly body: string };

/** A text that a shell takes as it is, whatever is in it. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Commands that sign a message with the secret in the environment, and post it. */
export function curlOf({ url, id, body }: Posted): string {
  return `secret="\${WEBHOOK_SECRET:?}"
id=${quoted(id)}
body=${quoted(body)}
timestamp=$(date +%s)
key=$(printf %s "\${secret#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
signature=$(printf %s "$id.$timestamp.$body" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
curl -i --globoff \\
  -H 'content-type: application/json' \\
  -H "webhook-id: $id" \\
  -H "webhook-timestamp: $timestamp" \\
  -H "webhook-signature: v1,$signature" \\
  --data-raw "$body" \\
  ${quoted(url)}
`;
}

const EXAMPLE = `{"type":"campaign.sent","timestamp":"2026-11-14T09:30:00.000Z","data":{}}`;

export const LANGUAGES = ["curl", "typescript", "python"] as const;
export type Language = (typeof LANGUAGES)[number];

export function sampleIn(language: Language, url: string): string {
  if (language === "typescript") return TYPESCRIPT;
  return language === "python" ? PYTHON : curlOf({ url, id: "msg_example", body: EXAMPLE });
}
