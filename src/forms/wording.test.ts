import assert from "node:assert/strict";
import { it } from "node:test";
import { createSecrets } from "../platform/secrets.ts";
import { readWording, signWording } from "./wording.ts";

const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
const SHOWN = { version: 3, locale: "de", consent: "Ja, schickt mir „Grüße“.\nZweite Zeile", tracking: null };

it("what was shown comes back as it was, to the same form alone", () => {
  const signed = signWording(secrets, "frm_one", SHOWN);
  assert.deepEqual(readWording(secrets, "frm_one", signed), SHOWN);
  assert.equal(readWording(secrets, "frm_two", signed), undefined);
});

it("what somebody else wrote is nothing that was shown", () => {
  const signed = signWording(secrets, "frm_one", SHOWN);
  const [, mac = ""] = signed.split(".");
  const other = Buffer.from(JSON.stringify([3, "de", "I owe you a house.", null])).toString("base64url");
  for (const forged of ["", ".", "a.b", `${other}.${mac}`, signed.slice(0, -1), `${signed}x.y`])
    assert.equal(readWording(secrets, "frm_one", forged), undefined, forged);
});
