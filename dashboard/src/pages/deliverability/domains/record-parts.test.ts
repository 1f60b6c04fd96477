import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf, type Part } from "./record-parts.ts";

const shown = (parts: readonly Part[]) =>
  parts.map(({ text, isChanged }) => (isChanged ? `[${text.trim()}]` : text.trim())).join(" ");

test("the terms of SPF that one lacks are marked in the other", () => {
  const { now, wanted } = differenceOf(
    "spf",
    "v=spf1 include:_spf.google.com include:old.example ~all",
    "v=spf1 include:_spf.google.com include:relay.example ~all",
  );
  assert.equal(shown(now), "v=spf1 include:_spf.google.com [include:old.example] ~all");
  assert.equal(shown(wanted), "v=spf1 include:_spf.google.com [include:relay.example] ~all");
});

test("the tags of DMARC are compared without regard to blanks and case", () => {
  const { now, wanted } = differenceOf(
    "dmarc",
    "V=dmarc1;p=none",
    "v=DMARC1; p=none; rua=mailto:a@in.example",
  );
  assert.equal(shown(now), "V=dmarc1;p=none");
  assert.equal(shown(wanted), "v=DMARC1; p=none; [rua=mailto:a@in.example]");
});

test("the parts joined are the whole value, blanks and all", () => {
  for (const value of ["v=spf1  a   -all", " v=DMARC1; p=none;; rua=x", ";", ""]) {
    for (const kind of ["spf", "dmarc", "dkim"] as const) {
      const { wanted } = differenceOf(kind, "", value);
      assert.equal(wanted.map(({ text }) => text).join(""), value);
    }
  }
});

test("another kind of value is compared as a whole", () => {
  assert.deepEqual(differenceOf("dkim", "v=DKIM1; p=A", "v=DKIM1; p=B").now, [
    { text: "v=DKIM1; p=A", isChanged: true },
  ]);
});
