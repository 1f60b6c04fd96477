/** Underlines what checks found and puts a dot beside the line; on them stand the message and the remedy. */
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import type { EditorState, Extension, TransactionSpec } from "@codemirror/state";
import type { Answer } from "../../../../../api/client.ts";
import { locate } from "./locate.ts";

export type Check = Answer<"GET /v1/campaigns/{id}">["checks"][number];

export const checkMarks: Extension = lintGutter();

export function showChecks(state: EditorState, kind: string, checks: readonly Check[]): TransactionSpec {
  return setDiagnostics(
    state,
    checks.flatMap((check) => {
      const range = check.place && locate(state.doc, kind, check.place);
      return range ? [{ ...range, ...described(check) }] : [];
    }),
  );
}

function described({ severity, message, remedy }: Check): Omit<Diagnostic, "from" | "to"> {
  return {
    severity,
    message,
    renderMessage() {
      const shown = document.createElement("span");
      const more = document.createElement("span");
      more.className = "dim";
      more.textContent = ` ${remedy}`;
      shown.append(message, more);
      return shown;
    },
  };
}
