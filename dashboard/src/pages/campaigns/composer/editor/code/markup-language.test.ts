import assert from "node:assert/strict";
import { test } from "node:test";
import { htmlLanguage } from "@codemirror/lang-html";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { markupLanguage } from "./markup-language.ts";

const MAIL =
  '<style>p { color: red }</style>\n<td style="padding: 8px">\n  <mj-image src="a.png" />\n</td>\n';

function namesIn(kind: "html" | "mjml"): readonly string[] {
  const state = EditorState.create({ doc: MAIL, extensions: markupLanguage(kind) });
  const tree = ensureSyntaxTree(state, state.doc.length, 60_000);
  assert.ok(htmlLanguage.isActiveAt(state, MAIL.length), "what closes tags and completes them knows it");
  const names: string[] = [];
  tree?.iterate({ enter: ({ name }) => void names.push(name) });
  return names;
}

test("the styles of a mail are one text to the editor, and the rest is markup", () => {
  const names = namesIn("html");
  assert.ok(names.includes("StyleText") && names.includes("AttributeValue"), names.join(" "));
  assert.ok(!names.some((name) => ["StyleSheet", "Styles", "PropertyName"].includes(name)), names.join(" "));
});

test("an element of MJML may close itself", () => {
  assert.ok(namesIn("mjml").includes("SelfClosingTag"));
});
