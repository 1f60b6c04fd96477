/** Where the content of a mail is written. The editor behind it is large, so it comes when it is first wanted. */
import "../../../../i18n/later/writing/editor.ts";
import "./editor.css";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { SkeletonLines } from "../../../../kit/states.tsx";
import { lazyPart } from "../../../../lazy-page.ts";
import type { CodeEditorProps } from "./editor-props.ts";

export type { CodeEditorHandle, CodeEditorProps } from "./editor-props.ts";

const CodeArea = lazyPart(async () => ({
  default: (await import("./code-area.tsx")).CodeArea,
}));

export function CodeEditor(props: CodeEditorProps) {
  const { t } = useTranslation();
  return (
    <div className="code-editor">
      <Suspense fallback={<SkeletonLines lines={12} />}>
        {/* Each kind has a past of its own, which undoing must not mix. */}
        <CodeArea key={props.kind} {...props} />
      </Suspense>
      {!props.readOnly && (
        <p className="code-hint xs dim" aria-hidden="true">
          {t("editor.leaveHint")}
        </p>
      )}
    </div>
  );
}
