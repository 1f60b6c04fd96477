import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Ban, Download, Trash2, Upload } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Suppression } from "../../api/openapi.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { pageQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/forms/field.tsx";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { Icon } from "../../kit/icon.tsx";
import { ConfirmDialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { Time } from "../../kit/time.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { startDownload } from "../exports/download.ts";
import { REASONS, type Reason } from "./search.ts";

const route = getRouteApi("/signed-in/suppressions");

export function Suppressions() {
  const { t } = useTranslation();
  const { cursor, reason } = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Suppression>();
  const suppressions = useQuery(
    pageQuery("GET /v1/suppressions", { query: { ...(reason && { reason }), ...(cursor && { cursor }) } }),
  );
  const add = () => setAdding(true);
  const exporting = useExport();
  useRegisterActions([
    { id: "new-suppression", label: t("suppressions.new"), icon: Ban, keys: "n", run: add },
    {
      id: "import-suppressions",
      label: t("suppressions.import"),
      icon: Upload,
      run: () => void navigate({ to: "/imports/new", search: { for: "suppressions" } }),
    },
    { id: "export-suppressions", label: t("suppressions.export"), icon: Download, run: exporting.start },
  ]);
  return (
    <>
      <PageHead
        title={t("nav.suppressions")}
        sub={t("suppressions.lead")}
        actions={
          <>
            <Link className="btn" to="/imports/new" search={{ for: "suppressions" }}>
              <Icon of={Upload} />
              {t("suppressions.import")}
            </Link>
            <Button icon={Download} busy={exporting.busy} onClick={exporting.start}>
              {t("suppressions.export")}
            </Button>
            <Button kind="primary" icon={Ban} onClick={add}>
              {t("suppressions.new")}
            </Button>
          </>
        }
      />
      {exporting.error && (
        <div className="table-tools">
          <ProblemNote error={exporting.error} />
        </div>
      )}
      <ReasonTabs
        reason={reason}
        onChoose={(next) => void navigate({ search: next ? { reason: next } : {} })}
      />
      <Listing
        result={suppressions}
        unreadable={t("suppressions.unreadable")}
        empty={<Empty title={t("suppressions.none")} text={t("suppressions.noneText")} />}
      >
        {(rows, page) => (
          <>
            <div className="tw">
              <table className="table-edge stacked">
                <thead>
                  <tr>
                    <th>{t("subscribers.address")}</th>
                    <th>{t("suppressions.reason")}</th>
                    <th>{t("columns.source")}</th>
                    <th className="num">{t("suppressions.since")}</th>
                    <th>
                      <span className="sr">{t("do.more")}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.id}>
                      <td className="c-main med">
                        {row.email ? (
                          <span className="cell-text">{row.email}</span>
                        ) : (
                          <span className="dim">{t("suppressions.hashOnly")}</span>
                        )}
                      </td>
                      <td data-label={t("suppressions.reason")}>{t(`suppressions.reasons.${row.reason}`)}</td>
                      <td className="dim" data-label={t("columns.source")}>
                        {row.source}
                      </td>
                      <td className="num dim" data-label={t("suppressions.since")}>
                        <Time at={row.created_at} day />
                      </td>
                      <td className="r c-menu">
                        <Button
                          kind="quiet"
                          size="sm"
                          icon={Trash2}
                          aria-label={t("suppressions.removeOf", { email: row.email ?? row.id })}
                          onClick={() => setRemoving(row)}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {isAdding && <AddSuppression onClose={() => setAdding(false)} />}
      {removing && <RemoveSuppression suppression={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function ReasonTabs({
  reason,
  onChoose,
}: {
  reason: Reason | undefined;
  onChoose: (reason?: Reason) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className="table-tools">
      <fieldset className="seg" aria-label={t("suppressions.reason")}>
        <button type="button" aria-pressed={reason === undefined} onClick={() => onChoose()}>
          {t("suppressions.all")}
        </button>
        {REASONS.map((one) => (
          <button key={one} type="button" aria-pressed={reason === one} onClick={() => onChoose(one)}>
            {t(`suppressions.reasons.${one}`)}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

function useRefresh() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      ["suppressions", "subscribers"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })),
    );
}

/** All of them as a file, whatever the filter: whoever moves away takes every one. */
function useExport() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const work = async () => {
    setBusy(true);
    setError(undefined);
    try {
      startDownload(await call("POST /v1/exports", { body: { resource: "suppressions" } }));
      await queries.invalidateQueries({ queryKey: ["exports"] });
      notify(t("exports.begun"));
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return { start: () => void work(), busy, error };
}

function AddSuppression({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("suppressions.new")}
      lead={t("suppressions.newLead")}
      action={t("suppressions.new")}
      onClose={onClose}
      submit={async (values) => {
        const email = values.text("email");
        await call("POST /v1/suppressions", { body: { email } });
        onClose();
        await refresh();
        notify(t("suppressions.added", { email }));
      }}
    >
      <TextField
        name="email"
        label={t("subscribers.address")}
        type="email"
        maxLength={254}
        autoComplete="off"
      />
    </FormDialog>
  );
}

function RemoveSuppression({ suppression, onClose }: { suppression: Suppression; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("suppressions.removeTitle", { email: suppression.email ?? suppression.id })}
      lead={t("suppressions.removeLead")}
      action={t("suppressions.remove")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/suppressions/{id}", { path: { id: suppression.id } });
        await refresh();
        notify(t("suppressions.removed"));
      }}
    />
  );
}
