import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readAddressList } from "./address-list.ts";

const CASES: readonly (readonly [string, readonly (readonly [name: string, address: string])[]])[] = [
  ["ada@example.com", [["", "ada@example.com"]]],
  ["<ada@example.com>", [["", "ada@example.com"]]],
  [
    'Ada Lovelace <ada@example.com>, "Hopper, Grace" <grace@example.com>',
    [
      ["Ada Lovelace", "ada@example.com"],
      ["Hopper, Grace", "grace@example.com"],
    ],
  ],
  ['"A \\"quoted\\" \\\\ name" <a@b.example>', [['A "quoted" \\ name', "a@b.example"]]],
  ["=?utf-8?q?Zo=C3=AB?= <zoe@example.com>", [["Zoë", "zoe@example.com"]]],
  ["ada@example.com (Ada (the) first)", [["Ada (the) first", "ada@example.com"]]],
  ["undisclosed-recipients:;", []],
  [
    "Friends: a@b.example, C <c@d.example>;, e@f.example",
    [
      ["", "a@b.example"],
      ["C", "c@d.example"],
      ["", "e@f.example"],
    ],
  ],
  ["", []],
  [" , ,", []],
];

for (const [value, expected] of CASES)
  test(`the addresses of ${JSON.stringify(value)}`, () => {
    assert.deepEqual(
      readAddressList(value).map(({ name, address }) => [name, address]),
      expected,
    );
  });

test("no text makes it throw", () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('"', "<", ">", "(", ")", ",", ";", ":", "\\", "a@b", " ")),
      (parts) => {
        readAddressList(parts.join(""));
      },
    ),
  ));
