import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FieldRow } from "../fields/field-store.ts";
import { readSearchedAddress, readSort } from "../subscriber-query.ts";
import { readTags } from "../tags/tags.ts";
import { consentFaults, readCandidate, readProfile } from "./input.ts";

const LIST = "lst_01k9zq4t3xe8k8y0v6d3m2n1pq";
const fields: FieldRow[] = [];

describe("what a client sends", () => {
  it("is told all its faults at once", () => {
    const read = readCandidate(
      {
        email: "nonsense",
        list_id: LIST,
        locale: "not a locale",
        fields: { none: 1 },
        tags: ["ok", "  "],
        consent: { ip: "1.2.3" },
      },
      fields,
    );
    assert.ok("faults" in read);
    assert.deepEqual(
      read.faults.map((one) => `${one.pointer} ${one.code}`),
      [
        "/email invalid_email",
        "/locale invalid_locale",
        "/fields/none unknown_field",
        "/tags/1 required",
        "/consent/ip invalid_format",
      ],
    );
  });

  it("keeps the address as it was given and compares it by its key", () => {
    const read = readCandidate({ email: " Ada@Bücher.Example ", list_id: LIST }, fields);
    assert.ok("candidate" in read);
    assert.equal(read.candidate.address.address, "Ada@Bücher.Example");
    assert.equal(read.candidate.address.key, "ada@xn--bcher-kva.example");
  });

  it("leaves alone what isn't there, and clears what is null or blank", () => {
    assert.deepEqual(readProfile({}, fields).profile, {});
    assert.deepEqual(readProfile({ first_name: null, last_name: "  " }, fields).profile, {
      first_name: null,
      last_name: null,
    });
  });

  it("has its locale in canonical form", () => {
    assert.equal(readProfile({ locale: "EN-gb" }, fields).profile.locale, "en-GB");
  });

  it("names a tag once, whatever its case, blanks and Unicode form", () => {
    const { tags, faults } = readTags(["Beta", "beta ", "Caf\u00e9", "CAFE\u0301", "İ"], "/tags");
    assert.deepEqual([tags, faults], [["Beta", "Café", "İ"], []]);
  });

  it("may give IPv4 and IPv6 as the place of consent, and nothing else", () => {
    for (const ip of ["192.0.2.7", "2001:db8::1"]) assert.deepEqual(consentFaults({ ip }, "/consent"), []);
    for (const ip of ["", "localhost", "192.0.2.256"])
      assert.equal(consentFaults({ ip }, "/consent").length, 1);
  });
});

describe("what a client looks for", () => {
  it("loses its outer blanks, and a space inside is a plus", () => {
    assert.equal(readSearchedAddress("  a b@example.com "), "a+b@example.com");
  });

  it("must be there", () => {
    for (const text of ["", "   "]) assert.throws(() => readSearchedAddress(text), /which address/);
  });

  it("is sorted upwards with a plus, which a query turns into a space", () => {
    assert.deepEqual(["-created_at", " updated_at", "+updated_at", "email"].map(readSort), [
      "-created_at",
      "updated_at",
      "updated_at",
      "email",
    ]);
  });
});
