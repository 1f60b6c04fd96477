/** Uploads pictures one after another, and says of each how far it is, or what is wrong with it. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Answer, call } from "../../../../../api/client.ts";
import { asApiError } from "../../../../../api/problem.ts";
import { formatNumber } from "../../../../../i18n/format.ts";
import { useProblemText } from "../../../../../kit/forms/problem-note.tsx";

export type Picture = Answer<"GET /v1/files">["data"][number];

export type Upload = {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly sent: number;
  readonly fault?: string;
};

/** The service refuses more; a browser that is refused in mid-upload says only that the connection broke. */
const MOST_BYTES = 10 * 1_048_576;
export const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function useUploads(first: readonly File[], onDone: (picture: Picture) => void) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const queries = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const count = useRef(0);
  const faultOf = ({ name, size, type }: File) => {
    if (!TYPES.includes(type)) return t("editor.pictures.notAPicture", { name });
    if (size <= MOST_BYTES) return undefined;
    return t("editor.pictures.tooLarge", { name, size: formatNumber(Math.ceil(size / 1_048_576)) });
  };
  const set = (id: number, change: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const remove = (id: number) => setUploads((all) => all.filter((one) => one.id !== id));

  const send = async (file: File, id: number) => {
    const body = new FormData();
    body.append("file", file);
    try {
      const picture = await call("POST /v1/files", { body, onSent: (sent) => set(id, { sent }) });
      remove(id);
      void queries.invalidateQueries({ queryKey: ["files"] });
      onDone(picture);
    } catch (thrown) {
      const error = asApiError(thrown);
      const fault =
        error.code === "invalid_image"
          ? t("editor.pictures.notAPicture", { name: file.name })
          : t("editor.pictures.refused", { name: file.name, why: textOf(error) });
      set(id, { fault });
    }
  };
  const take = async (files: Iterable<File>) => {
    const added = [...files].map((file) => ({ file, id: ++count.current, fault: faultOf(file) }));
    const shown = added.map(({ file, id, fault }) => ({
      id,
      name: file.name,
      sent: 0,
      ...(fault && { fault }),
    }));
    // What was wrong with files before these is answered by these.
    setUploads((all) => [...all.filter(({ fault }) => !fault), ...shown]);
    for (const { file, id, fault } of added) if (!fault) await send(file, id);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: files that were dropped into the editor are taken once.
  useEffect(() => {
    if (first.length > 0) void take(first);
  }, [first]);
  return { uploads, take };
}
