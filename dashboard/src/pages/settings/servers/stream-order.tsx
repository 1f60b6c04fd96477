/** The servers of one stream in their order, which buttons and keys change. Nothing is sent before it is saved. */
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { useMay } from "../../../api/may.ts";
import type { Transport, TransportPool } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useRefreshServers } from "./known-servers.ts";
import { addTo, INSTANCE, mayMove, moved } from "./order-moves.ts";
import { OrderRow } from "./order-row.tsx";

type Props = {
  pool: TransportPool;
  servers: readonly Transport[];
  hasInstanceServer: boolean;
  /** Says whether something here would be lost. */
  onDraft: (isThere: boolean) => void;
};

export function StreamOrder({ pool, servers, hasInstanceServer, onDraft }: Props) {
  const { t } = useTranslation();
  const mayWrite = useMay()("transports:write");
  const refresh = useRefreshServers();
  const [draft, setDraft] = useState<readonly string[]>();
  /** What was saved, until the order is read anew: otherwise the one before would show for a moment, and the focus would be lost with it. */
  const [saved, setSaved] = useState<readonly string[]>();
  const [said, setSaid] = useState("");
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  /** What has the focus once the list is drawn anew. */
  const [focused, setFocused] = useState<readonly string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an order that was read anew takes its place, whatever it is.
  useEffect(() => setSaved(undefined), [pool]);
  useEffect(() => {
    const found = focused
      .map((part) => document.getElementById(part))
      .find((one) => one instanceof HTMLElement && !one.matches(":disabled"));
    found?.focus();
  }, [focused]);

  const stream = t(`servers.streams.${pool.stream}`);
  const known = saved ?? pool.transports;
  const shown = draft ?? known;
  const nameOf = (id: string) =>
    id === INSTANCE
      ? t("serverOrder.instance")
      : (servers.find((server) => server.id === id)?.name ?? t("serverOrder.gone"));
  const partOf = (id: string, what: string) => `${pool.stream}-${id}-${what}`;
  const addId = `${pool.stream}-add`;

  /** What has the focus once the buttons to save are gone. */
  const rest = [addId, ...shown.map((id) => partOf(id, "remove"))];

  const change = (next: readonly string[], say: string, focus: readonly string[]) => {
    const isChanged = next.join() !== known.join();
    setDraft(isChanged ? next : undefined);
    onDraft(isChanged);
    setError(undefined);
    setSaid(say);
    setFocused(focus);
  };
  const move = (at: number, step: 1 | -1) => {
    const id = shown[at];
    if (id === undefined || !mayMove(shown, at, step)) return;
    const ways = step < 0 ? ["up", "down"] : ["down", "up"];
    const words = { name: nameOf(id), place: at + step + 1, count: shown.length };
    change(
      moved(shown, at, step),
      t("serverOrder.moved", words),
      ways.map((way) => partOf(id, way)),
    );
  };
  const remove = (at: number) => {
    const id = shown[at] ?? "";
    const next = shown.toSpliced(at, 1);
    const near = next[Math.min(at, next.length - 1)];
    const focus = near === undefined ? [addId] : [partOf(near, "remove")];
    change(next, t("serverOrder.removed", { name: nameOf(id) }), focus);
  };
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await call("PUT /v1/transport_pools/{stream}", {
        path: { stream: pool.stream },
        body: { transports: shown },
      });
      onDraft(false);
      setSaved(shown);
      setDraft(undefined);
      setFocused(rest);
      await refresh();
      notify(t("serverOrder.saved", { stream }));
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };

  const faultAt = (at: number) => error?.faults.find(({ pointer }) => pointer === `/transports/${at}`);
  const isPlaced = error !== undefined && shown.some((_, at) => faultAt(at));
  const choices = [
    ...servers.filter(({ id }) => !shown.includes(id)).map(({ id, name }) => ({ id, name })),
    ...(hasInstanceServer && !shown.includes(INSTANCE)
      ? [{ id: INSTANCE, name: t("serverOrder.instance") }]
      : []),
  ];
  return (
    <section className="panel-b stack" aria-label={stream}>
      <div className="row wrap between">
        <h4>{stream}</h4>
        <span className="xs dim break">
          <LeavesNow
            by={pool.leaves_by}
            server={servers.find(({ id }) => id === pool.leaves_by)}
            hasInstanceServer={hasInstanceServer}
          />
        </span>
      </div>
      {shown.length === 0 && <p className="sm dim">{t("serverOrder.none")}</p>}
      {shown.length > 0 && (
        <ol className="server-order">
          {shown.map((id, at) => (
            <OrderRow
              key={id}
              place={at + 1}
              name={nameOf(id)}
              server={servers.find((server) => server.id === id)}
              isInUse={pool.leaves_by === id}
              isInstance={id === INSTANCE}
              fault={faultAt(at)}
              partOf={(what) => partOf(id, what)}
              {...(mayWrite && {
                acts: {
                  up: mayMove(shown, at, -1) ? () => move(at, -1) : undefined,
                  down: mayMove(shown, at, 1) ? () => move(at, 1) : undefined,
                  remove: () => remove(at),
                },
              })}
            />
          ))}
        </ol>
      )}
      {mayWrite && choices.length > 0 && (
        <select
          id={addId}
          className="input server-add"
          aria-label={t("serverOrder.add", { stream })}
          value=""
          onChange={({ target: { value } }) =>
            change(addTo(shown, value), t("serverOrder.added", { name: nameOf(value) }), [addId])
          }
        >
          <option value="" disabled>
            {t("serverOrder.addFirst")}
          </option>
          {choices.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <span className="sr" role="status">
        {said}
      </span>
      {error && !isPlaced && <ProblemNote error={error} />}
      {draft && (
        <div className="row wrap">
          <Button kind="primary" busy={isBusy} onClick={() => void save()}>
            {t("serverOrder.save")}
          </Button>
          <Button kind="quiet" onClick={() => change(known, "", rest)}>
            {t("editForm.discard")}
          </Button>
          <span className="grow" />
          <span className="sm dim">{t("editForm.unsaved")}</span>
        </div>
      )}
    </section>
  );
}

type NowProps = {
  by: string | null;
  /** Undefined where it isn't one of the account's own. */
  server: Transport | undefined;
  hasInstanceServer: boolean;
};

function LeavesNow({ by, server, hasInstanceServer }: NowProps) {
  const { t } = useTranslation();
  if (server) return t(server.out ? "serverOrder.waitsFor" : "serverOrder.leavesBy", { name: server.name });
  if (by !== null && by !== INSTANCE) return null;
  return hasInstanceServer ? t("serverOrder.byInstance") : t("serverOrder.bySandbox");
}
