import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { sentence } from "../../kit/sentence.ts";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { type RowFaults as Faults, faultsAddress, readFaults } from "./read-faults.ts";

/** The rows that were left out because of a fault, by what it is, with the whole of them to download. */
export function RowFaults({ id, failed }: { id: string; failed: number }) {
  const { t } = useTranslation();
  const faults = useQuery({
    queryKey: ["imports", "faults", id],
    queryFn: ({ signal }) => readFaults(id, signal),
    staleTime: Infinity,
  });
  return (
    <section className="sect" aria-label={t("imports.faults.title", { count: failed, number: failed })}>
      <div className="sect-h">
        <h2>{t("imports.faults.title", { count: failed, number: formatNumber(failed) })}</h2>
        <a className="btn btn-sm end" href={faultsAddress(id)} download>
          <Icon of={Download} />
          {t("imports.faults.download")}
        </a>
      </div>
      {faults.data ? (
        <FaultTable key={id} faults={faults.data} failed={failed} />
      ) : faults.error ? (
        <Failure
          title={t("imports.faults.unreadable")}
          error={faults.error}
          retry={() => void faults.refetch()}
        />
      ) : (
        <SkeletonLines lines={4} />
      )}
    </section>
  );
}

const SHOWN_AT_FIRST = 20;

function FaultTable({ faults, failed }: { faults: Faults; failed: number }) {
  const { t } = useTranslation();
  const wordsOf = useFaultWords();
  const [code, setCode] = useState<string>();
  const [most, setMost] = useState(SHOWN_AT_FIRST);
  const rows = code === undefined ? faults.rows : faults.rows.filter((one) => one.code === code);
  const choose = (next: string | undefined) => {
    setCode(next);
    setMost(SHOWN_AT_FIRST);
  };
  return (
    <>
      {faults.isWhole && faults.codes.length > 1 && (
        <fieldset className="row wrap" aria-label={t("imports.faults.kind")}>
          <FaultChip
            words={t("imports.faults.all")}
            count={faults.rows.length}
            isOn={code === undefined}
            onPress={() => choose(undefined)}
          />
          {faults.codes.map(([one, count]) => (
            <FaultChip
              key={one}
              words={wordsOf(one)}
              count={count}
              isOn={code === one}
              onPress={() => choose(one)}
            />
          ))}
        </fieldset>
      )}
      <table className="fault-table">
        <thead>
          <tr>
            <th>{t("imports.faults.row")}</th>
            <th>{t("imports.inFile")}</th>
            <th>{t("imports.faults.wrong")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((one) => (
            <tr key={one.row}>
              <td className="num dim">{formatNumber(one.row)}</td>
              <td className="mono break">
                {one.column !== "" && <span className="dim">{one.column} = </span>}
                <span className="bad">{one.cell === "" ? t("imports.emptyCell") : one.cell}</span>
              </td>
              <td className="mid break">{sentence(one.detail)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most ? (
        <Button kind="quiet" onClick={() => setMost(most + 200)}>
          {t("imports.faults.more")}
        </Button>
      ) : (
        failed > faults.rows.length && <p className="sm dim">{t("imports.faults.rest")}</p>
      )}
    </>
  );
}

type FaultChipProps = { words: string; count: number; isOn: boolean; onPress: () => void };

function FaultChip({ words, count, isOn, onPress }: FaultChipProps) {
  return (
    <button type="button" className={isOn ? "chip on" : "chip"} aria-pressed={isOn} onClick={onPress}>
      <span className={isOn ? "v" : ""}>{words}</span>
      <span className="k num">{formatNumber(count)}</span>
    </button>
  );
}

/** Our own words for a code where there are some, else the code itself. */
function useFaultWords(): (code: string) => string {
  const { t, i18n } = useTranslation();
  return (code) => {
    const key = `imports.faults.codes.${code}`;
    return i18n.exists(key) ? t(key as "imports.faults.all") : code.replaceAll("_", " ");
  };
}
