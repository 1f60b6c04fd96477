/** One import: how far it is, what it did, what it left out and why, and the way back. */
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Ban, CircleAlert, CircleSlash, Info, Undo2, Upload, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { isMoving } from "../../api/import-status.ts";
import type { Import } from "../../api/openapi.ts";
import { formatClock, formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import { PageHead } from "../../kit/page.tsx";
import { sentence } from "../../kit/sentence.ts";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { useLists } from "../subscribers/reference-data.ts";
import { AddressFindings } from "./address-findings.tsx";
import { Effects } from "./effects.tsx";
import { ImportFacts } from "./import-facts.tsx";
import { ImportState } from "./import-state.tsx";
import { RowFaults } from "./row-faults.tsx";
import { ImportSum, ImportTally } from "./tally.tsx";
import { useImport } from "./use-import.ts";
import "../../styles/imports.css";

const route = getRouteApi("/signed-in/imports/$id");

export function ImportPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const found = useImport(id);
  if (found.data) return <Shown one={found.data} />;
  return (
    <>
      <PageHead title={t("imports.one")} crumb={{ label: t("nav.imports"), to: "/imports" }} />
      {found.error ? (
        <Failure title={t("imports.unreadableOne")} error={found.error} retry={() => void found.refetch()} />
      ) : (
        <SkeletonLines lines={6} />
      )}
    </>
  );
}

function Shown({ one }: { one: Import }) {
  const { t } = useTranslation();
  const lists = useLists();
  const [asking, setAsking] = useState<"cancel" | "undo">();
  const name =
    one.target === "suppressions" ? t("nav.suppressions") : lists.find(({ id }) => id === one.list_id)?.name;
  const canCancel = one.status === "pending" || one.status === "running";
  const canUndo =
    !one.dry_run &&
    one.target === "subscribers" &&
    one.counts.created > 0 &&
    ["completed", "failed", "canceled"].includes(one.status);
  useRegisterActions([
    ...(canCancel
      ? [
          {
            id: "cancel-import",
            label: t("imports.cancel"),
            icon: CircleSlash,
            run: () => setAsking("cancel"),
          },
        ]
      : []),
    ...(canUndo
      ? [{ id: "undo-import", label: t("imports.undo"), icon: Undo2, run: () => setAsking("undo") }]
      : []),
  ]);
  return (
    <>
      <PageHead
        title={t("imports.titleOf", { name: one.file_name })}
        crumb={{ label: t("nav.imports"), to: "/imports" }}
        sub={
          <>
            <ImportState of={one} />
            {one.dry_run && <span className="badge info">{t("imports.dryRun")}</span>}
            {name && <span className="break">{t("imports.into", { list: name })}</span>}
            <Time at={one.created_at} />
          </>
        }
        actions={
          <>
            {canCancel && (
              <Button icon={CircleSlash} onClick={() => setAsking("cancel")}>
                {t("imports.cancel")}
              </Button>
            )}
            {canUndo && (
              <Button icon={Undo2} onClick={() => setAsking("undo")}>
                {t("imports.undo")}
              </Button>
            )}
            {!isMoving(one) && (
              <Link
                className="btn"
                to="/imports/new"
                search={one.target === "suppressions" ? { for: one.target } : {}}
              >
                <Icon of={Upload} />
                {t("imports.another")}
              </Link>
            )}
          </>
        }
      />
      <div className="body stack-6">
        <section className="stack-4" aria-label={t("imports.soFar")}>
          <p className="import-said med" aria-live="polite">
            <Said one={one} />
          </p>
          <ImportTally of={one} />
          <ImportSum of={one} />
          <Pace one={one} />
        </section>
        {one.error && (
          <div className="note danger" role="alert">
            <Icon of={CircleAlert} />
            <span>{sentence(one.error.detail)}</span>
          </div>
        )}
        {one.warnings.map(({ code, detail }) => (
          <div key={code + detail} className="note warn">
            <Icon of={Info} />
            <span>{sentence(detail)}</span>
          </div>
        ))}
        <Effects of={one} />
        <AddressFindings of={one} />
        <SeeThem one={one} />
        {one.counts.failed > 0 && !isMoving(one) && <RowFaults id={one.id} failed={one.counts.failed} />}
        <ImportFacts of={one} />
      </div>
      {asking && <Ask what={asking} one={one} onClose={() => setAsking(undefined)} />}
    </>
  );
}

function SeeThem({ one }: { one: Import }) {
  const { t } = useTranslation();
  if (one.dry_run || one.status !== "completed") return null;
  return (
    <div>
      {one.list_id ? (
        <Link className="btn" to="/subscribers" search={{ list: one.list_id }}>
          <Icon of={Users} />
          {t("imports.seeThem")}
        </Link>
      ) : (
        <Link className="btn" to="/suppressions">
          <Icon of={Ban} />
          {t("imports.seeSuppressions")}
        </Link>
      )}
    </div>
  );
}

/** What was done, in one sentence. */
function Said({ one }: { one: Import }) {
  const { t } = useTranslation();
  const { created, removed } = one.counts;
  const people = { count: created, number: formatNumber(created) };
  if (one.status === "undone") {
    return created === removed
      ? t("imports.said.undone", { count: removed, number: formatNumber(removed) })
      : t("imports.said.undonePartly", {
          removed: formatNumber(removed),
          kept: formatNumber(created - removed),
        });
  }
  if (one.dry_run && one.status === "completed") return t("imports.said.dry", people);
  if (one.status === "pending") return t("imports.said.pending");
  return t(`imports.said.${one.status}`, people);
}

/** How fast it goes and when it ends. The page may be left: the import doesn't need it. */
function Pace({ one }: { one: Import }) {
  const { t } = useTranslation();
  if (!isMoving(one)) return null;
  const { percent, rows_per_second: rate, eta } = one.progress;
  return (
    <p className="sm dim row wrap">
      {one.status === "running" && <b className="num strong">{t("imports.percent", { percent })}</b>}
      {rate !== null && rate > 0 && <span>{t("imports.rate", { rate: formatNumber(rate) })}</span>}
      {eta && <span>{t("imports.eta", { time: formatClock(eta) })}</span>}
      <span>{t("imports.leave")}</span>
    </p>
  );
}

function Ask({ what, one, onClose }: { what: "cancel" | "undo"; one: Import; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const count = one.counts.created;
  return (
    <ConfirmDialog
      title={t(`imports.ask.${what}.title`, { count, number: formatNumber(count) })}
      lead={t(`imports.ask.${what}.lead`)}
      action={t(`imports.ask.${what}.action`)}
      people={what === "undo" ? count : 0}
      onClose={onClose}
      confirm={async () => {
        const path = { id: one.id };
        if (what === "undo") await call("POST /v1/imports/{id}/undo", { path });
        else await call("POST /v1/imports/{id}/cancel", { path });
        await queries.invalidateQueries({ queryKey: ["imports"] });
      }}
    />
  );
}
