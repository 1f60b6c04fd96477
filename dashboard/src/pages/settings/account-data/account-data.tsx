/** What holds for the account as a whole: the operator's limits, and what only owners do, which is to take everything with them and to delete it. */
import "../../../i18n/later/settings/account-data.ts";
import { useMay } from "../../../api/may.ts";
import { DeletionPart } from "./deletion-part.tsx";
import { ExportPart } from "./export-part.tsx";
import { LimitsPart } from "./limits-part.tsx";

export function AccountData() {
  const may = useMay();
  return (
    <>
      <LimitsPart />
      {may("account:export") && (
        <>
          <hr className="rule" />
          <ExportPart />
        </>
      )}
      {may("full") && (
        <>
          <hr className="rule" />
          <DeletionPart />
        </>
      )}
    </>
  );
}
