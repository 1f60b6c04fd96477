import assert from "node:assert/strict";
import { it } from "node:test";
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { createSecrets } from "../platform/secrets.ts";
import { createPageWords, readLocales, type SignUpForm } from "../public-pages/public-pages.ts";
import { embedScript, pageScript } from "./scripts.ts";
import { signWording } from "./wording.ts";

const ID = "frm_01k9zq4t3xe8k8y0v6d3m2n1pq";
const MOST_BYTES = 5 * 1_024;
const text = (name: string) => ({
  name,
  label: "How did you hear of us?",
  type: "text" as const,
  isRequired: false,
  maxLength: 1_000,
  autocomplete: "off",
});
const form: SignUpForm = {
  words: createPageWords(readLocales(undefined)).forVisitor("en"),
  sender: { name: "Fernhill Books", postalAddress: null, branding: { colour: "#1f3a5f", logoUrl: null } },
  title: "One letter a week, from the shop floor",
  intro: "What we are reading, what came in, and one thing to avoid. 485,000 readers; leave with one click.",
  fields: ["email", "first_name", "last_name", "fields.company", "fields.how"].map(text),
  consent: "Send me the weekly letter. I can stop it at any time.",
  tracking:
    "Fernhill Books may record which mails I open and which links I follow. I can take this back at any time.",
  button: "Sign up",
  note: "You will get one mail that asks whether it was really you. We don’t pass your address on.",
  privacyUrl: "https://fernhill.example/privacy",
  action: "https://news.fernhill.example/f/frm_01k9zq4t3xe8k8y0v6d3m2n1pq",
  shown: "",
};

it("the script of a form with five fields has at most 5 KB, gzipped", () => {
  const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
  const consent = `${form.consent}\n${form.note}\nPrivacy: ${form.privacyUrl}`;
  const shown = signWording(secrets, ID, { version: 12, locale: "en-GB", consent, tracking: form.tracking });
  const script = embedScript({ ...form, shown }, ID);
  const bytes = gzipSync(script).length;
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
});

it("both scripts can be read by a browser, whatever the texts are", () => {
  const hostile = `</script><script>hacked()//\u2028\u2029'"\`\${hacked()}\\`;
  const script = embedScript({ ...form, title: hostile, consent: hostile, button: hostile }, hostile);
  for (const source of [script, pageScript]) assert.doesNotThrow(() => new Script(source));
});

it("neither script keeps anything in the browser, or writes markup", () => {
  for (const source of [embedScript(form, "frm_x"), pageScript])
    assert.doesNotMatch(
      source,
      /cookie|localStorage|sessionStorage|indexedDB|innerHTML|eval\(|document\.write/,
    );
});
