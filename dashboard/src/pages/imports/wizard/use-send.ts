/** Runs what takes a while: makes the new fields, sends the file, and keeps what went wrong until it is tried again. */
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Import } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { type NewField, newFieldsOf, signatureOf, withFieldMade } from "./draft.ts";
import { sendFile } from "./send-file.ts";
import type { StepProps } from "./step-props.ts";

export function useSend({ draft, change }: Pick<StepProps, "draft" | "change">, isDry: boolean) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  /** The share of the file that has gone; undefined while nothing is being sent. */
  const [share, setShare] = useState<number>();
  const [error, setError] = useState<ApiError>();
  const keys = useRef(new Map<string, string>());

  /** The same file with the same options has the same key, so that trying again after a lost answer makes no second import. */
  const keyOf = (signature: string) => {
    const key = keys.current.get(signature) ?? randomText();
    keys.current.set(signature, key);
    return key;
  };
  const makeFields = async () => {
    let present = draft;
    for (const field of newFieldsOf(draft)) {
      await makeField(field);
      present = withFieldMade(present, field.key);
      change((before) => withFieldMade(before, field.key));
      // The step before isn't shown now, but it has to know the field when it is gone back to.
      await queries.invalidateQueries({ queryKey: ["fields"], refetchType: "all" });
    }
    return present;
  };
  const send = async (): Promise<Import | undefined> => {
    setError(undefined);
    setShare(0);
    try {
      const present = await makeFields();
      const { isAttested, consentSource, wording, triggersAutomations } = present;
      const consent = [isAttested, consentSource, wording, triggersAutomations];
      const made = await sendFile(present, {
        pastedName: t("wizard.pastedName"),
        isDry,
        idempotencyKey: keyOf(JSON.stringify([signatureOf(present), isDry ? null : consent])),
        onSent: setShare,
      });
      await queries.invalidateQueries({ queryKey: ["imports"] });
      return made;
    } catch (thrown) {
      setError(asApiError(thrown));
      return undefined;
    } finally {
      setShare(undefined);
    }
  };
  return { send, share, error, isSending: share !== undefined };
}

/** The answer to an earlier try may have been lost: a field of this key and type is then the one that was asked for. */
async function makeField(field: NewField): Promise<void> {
  try {
    await call("POST /v1/fields", { body: field });
  } catch (thrown) {
    if (asApiError(thrown).code !== "field_exists") throw thrown;
    const { data } = await call("GET /v1/fields", { query: { limit: 200 } });
    if (!data.some(({ key, type }) => key === field.key && type === field.type)) throw thrown;
  }
}

/** `randomUUID` is there only over HTTPS and on the machine itself. */
function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
}
