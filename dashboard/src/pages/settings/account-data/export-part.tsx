import { CircleAlert, Download, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type FetchedExport, fetchAccountExport } from "../../../api/account-export.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { formatBytes, formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";

type State =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly bytes: number }
  | { readonly is: "done"; readonly fetched: FetchedExport }
  | { readonly is: "failed"; readonly error: ApiError };

export function ExportPart() {
  const { t } = useTranslation();
  const [state, setState] = useState<State>({ is: "idle" });
  const running = useRef<AbortController>(undefined);
  // Whoever leaves the page stops it.
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const stop = new AbortController();
    running.current = stop;
    setState({ is: "running", bytes: 0 });
    try {
      const fetched = await fetchAccountExport(stop.signal, (bytes) => setState({ is: "running", bytes }));
      save(fetched);
      setState({ is: "done", fetched });
    } catch (thrown) {
      setState(stop.signal.aborted ? { is: "idle" } : { is: "failed", error: asApiError(thrown) });
    }
  };

  return (
    <section className="stack-4">
      <div>
        <h2>{t("accountData.export.title")}</h2>
        <p className="sm dim">{t("accountData.export.lead")}</p>
      </div>
      <div className="row wrap">
        <Button icon={Download} busy={state.is === "running"} onClick={() => void start()}>
          {t("accountData.export.start")}
        </Button>
        {state.is === "running" && (
          <Button kind="quiet" icon={X} onClick={() => running.current?.abort()}>
            {t("accountData.export.stop")}
          </Button>
        )}
        {state.is === "done" && (
          <Button kind="quiet" onClick={() => save(state.fetched)}>
            {t("accountData.export.saveAgain")}
          </Button>
        )}
      </div>
      <Progress state={state} />
    </section>
  );
}

function Progress({ state }: { state: State }) {
  const { t } = useTranslation();
  if (state.is === "failed") return <ExportFailure error={state.error} />;
  const words = {
    idle: () => "",
    running: ({ bytes }: { bytes: number }) =>
      bytes === 0
        ? t("accountData.export.begins")
        : t("accountData.export.progress", { size: formatBytes(bytes) }),
    done: ({ fetched }: { fetched: FetchedExport }) =>
      t("accountData.export.done", {
        lines: formatNumber(fetched.lines),
        size: formatBytes(fetched.file.size),
      }),
  };
  const text =
    state.is === "running" ? words.running(state) : state.is === "done" ? words.done(state) : words.idle();
  return (
    <p className="sm mid num" role="status">
      {text}
    </p>
  );
}

/** What was broken off has no problem of the service's to show. */
function ExportFailure({ error }: { error: ApiError }) {
  const { t } = useTranslation();
  const isRefused = error.status > 0 || error.code === "offline";
  if (isRefused) return <ProblemNote error={error} />;
  return (
    <div className="note danger" role="alert">
      <Icon of={CircleAlert} />
      <span>{t("accountData.export.failed")}</span>
    </div>
  );
}

function save({ file, name }: FetchedExport): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has opened it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
