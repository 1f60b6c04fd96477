/** Whatever page is open: the imports that are under way, and a word when one has ended. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { isMoving } from "../../api/import-status.ts";
import type { Import } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { notify } from "../../kit/toasts.tsx";

const MOST = 10;
const ASK_EVERY_MS = 2_000;

export function RunningImports({ onLeave }: { onLeave: (() => void) | undefined }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...query("GET /v1/imports", { query: { limit: MOST } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isMoving) ? ASK_EVERY_MS : false),
  });
  const real = (data?.data ?? []).filter(({ dry_run }) => !dry_run);
  useEndings(real);
  const moving = real.filter(isMoving);
  if (moving.length === 0) return null;
  return (
    <nav className="jobs" aria-label={t("imports.underWay")}>
      {moving.map((one) => (
        <Link
          key={one.id}
          className="job"
          to="/imports/$id"
          params={{ id: one.id }}
          onClick={() => onLeave?.()}
        >
          <span className="row between">
            <span className="trunc">{t("imports.titleOf", { name: one.file_name })}</span>
            <span className="num dim">{Math.floor(one.progress.percent)}%</span>
          </span>
          <progress max={100} value={one.progress.percent} aria-label={one.file_name} />
        </Link>
      ))}
    </nav>
  );
}

function useEndings(imports: readonly Import[]): void {
  const { t } = useTranslation();
  const moving = useRef<readonly string[]>([]);
  useEffect(() => {
    const ended = imports.filter((one) => !isMoving(one) && moving.current.includes(one.id));
    for (const { id, file_name: name, status } of ended) {
      // The page of the import itself says more than this.
      if (location.pathname.endsWith(id)) continue;
      notify(t("imports.ended", { name, state: t(`imports.states.${status}`).toLocaleLowerCase() }));
    }
    moving.current = imports.filter(isMoving).map(({ id }) => id);
  });
}
