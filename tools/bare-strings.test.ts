import assert from "node:assert/strict";
import { test } from "node:test";
import { findBareStrings } from "./bare-strings.ts";

const linesOf = (source: string) => findBareStrings("page.tsx", source).map((fault) => fault.split(" ")[0]);

test("text between tags, in braces and in attributes that are shown is found", () => {
  const source = `export const A = () => <p>\n  Hello there\n</p>;
export const B = () => <p>{"Hello"}</p>;
export const C = () => <button aria-label="Close" />;`;
  assert.deepEqual(linesOf(source), ["page.tsx:1", "page.tsx:4", "page.tsx:5"]);
});

test("translated words, classes, signs and our own name are no bare strings", () => {
  const source = `export const A = () => <p className="note wide" title={t("a")}>{t("b")} · {"–"} <b>postrider</b></p>;`;
  assert.deepEqual(linesOf(source), []);
});
