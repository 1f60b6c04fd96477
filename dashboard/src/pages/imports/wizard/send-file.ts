/** Sends the file: its start to be looked at, the whole of it for a dry run, and again for the import. */
import { call } from "../../../api/client.ts";
import type { Import, ImportPreview } from "../../../api/openapi.ts";
import { consentOf, contentOf, type Draft, type Format, optionsOf } from "./draft.ts";

/** The service looks at no more to learn how a file is made. */
const START_BYTES = 256 * 1_024;

function formOf(options: object, file: Blob, name: string): FormData {
  const form = new FormData();
  form.append("options", JSON.stringify(options));
  form.append("file", file, name);
  return form;
}

export function lookAt(draft: Draft, format: Format, pastedName: string): Promise<ImportPreview> {
  const file = contentOf(draft, pastedName);
  const options = { target: draft.target, file_bytes: file.size, ...format };
  return call("POST /v1/imports/preview", { body: formOf(options, file.slice(0, START_BYTES), file.name) });
}

type Sending = {
  pastedName: string;
  isDry: boolean;
  idempotencyKey: string;
  onSent: (share: number) => void;
};

export function sendFile(
  draft: Draft,
  { pastedName, isDry, idempotencyKey, onSent }: Sending,
): Promise<Import> {
  const file = contentOf(draft, pastedName);
  const consent = isDry ? undefined : consentOf(draft);
  const options = {
    ...optionsOf(draft),
    ...(consent && { consent }),
    ...(!isDry && draft.triggersAutomations && { trigger_automations: true }),
    dry_run: isDry,
  };
  return call("POST /v1/imports", { body: formOf(options, file, file.name), idempotencyKey, onSent });
}
