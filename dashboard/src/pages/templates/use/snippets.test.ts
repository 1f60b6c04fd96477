import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { exampleValues, readTyped, samplesOf, textOfValue } from "../content/typed-value.ts";
import { curlOf, typescriptOf } from "./snippets.ts";

const HOSTILE = `It's "$HOME" \`id\` \\ </script> $\{1}\n€`;
const example = {
  origin: "http://localhost:3000",
  templateId: "tpl_1",
  from: "a@example.com",
  variables: { name: HOSTILE },
};

describe("the examples of a request", () => {
  test("a shell reads the body of the curl example as it is", () => {
    const body = curlOf(example).slice(curlOf(example).indexOf("-d ") + 3);
    const read = execFileSync("sh", ["-c", `printf %s ${body}`], { encoding: "utf8" });
    assert.equal(JSON.parse(read).variables.name, HOSTILE);
  });

  test("the TypeScript example sends the same", () => {
    const source = typescriptOf(example);
    const body = /JSON\.stringify\((\{.*?\n {2}\})\)/s.exec(source)?.[1] ?? "";
    assert.equal(JSON.parse(body).variables.name, HOSTILE);
    assert.equal(JSON.parse(body).template_id, "tpl_1");
  });
});

describe("the value of a variable", () => {
  test("is read by its type; what isn't of the type stays a text for the service to refuse", () => {
    assert.deepEqual(
      [
        readTyped("number", "1.50"),
        readTyped("number", "many"),
        readTyped("boolean", "true"),
        readTyped("list", "[1, 2]"),
        readTyped("list", "[1,"),
        readTyped("object", '{"a": 1}'),
        readTyped("date", " 2026-11-14 "),
        readTyped("string", " x "),
        readTyped("string", ""),
        readTyped("number", " "),
      ],
      [1.5, "many", true, [1, 2], "[1,", { a: 1 }, "2026-11-14", " x ", null, null],
    );
    assert.deepEqual(
      [textOfValue([1]), textOfValue(null), textOfValue("x"), textOfValue(false)],
      ["[1]", "", "x", "false"],
    );
  });

  test("is the sample, else the default; an example has something for each", () => {
    const variables = [
      { name: "a", type: "string", required: true, sample: "x", default: "y" },
      { name: "b", type: "number", required: false, sample: null, default: 0 },
      { name: "c", type: "list", required: false, sample: null, default: null },
    ] as const;
    assert.deepEqual(samplesOf(variables), { a: "x", b: 0 });
    assert.deepEqual(exampleValues(variables), { a: "x", b: 0, c: [] });
  });
});
