import assert from "node:assert/strict";
import { test } from "node:test";
import type { DomainRecord } from "../../../api/openapi.ts";
import { urgencyOf } from "./record-state.ts";

type Given = Pick<DomainRecord, "status" | "required"> & { readonly keyState?: string };

const urgencyGiven = ({ status, required, keyState }: Given) =>
  urgencyOf({
    kind: keyState ? "dkim" : "return_path",
    type: "TXT",
    name: "x.example",
    host_label: "x",
    expected: "y.example",
    strings: [],
    found: [],
    status,
    required,
    advice: "",
    provider_hint: null,
    details: keyState ? { key_state: keyState } : null,
  });

test("only a record that mail needs is to be mended now, whatever is wrong with it", () => {
  for (const status of ["missing", "wrong", "duplicate"] as const) {
    assert.equal(urgencyGiven({ status, required: true }), "now", status);
    assert.equal(urgencyGiven({ status, required: false }), "later", status);
    assert.equal(urgencyGiven({ status, required: true, keyState: "active" }), "now", status);
    assert.equal(urgencyGiven({ status, required: true, keyState: "standby" }), "later", status);
  }
  assert.equal(urgencyGiven({ status: "unknown", required: true }), "unknown");
  assert.equal(urgencyGiven({ status: "ok", required: true }), "none");
});
