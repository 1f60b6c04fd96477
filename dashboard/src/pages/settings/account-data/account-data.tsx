/** What only owners do to the account as a whole: take everything with them, and delete it. */
import "../../../i18n/later/settings/account-data.ts";
import { useMay } from "../../../api/may.ts";
import { DeletionPart } from "./deletion-part.tsx";
import { ExportPart } from "./export-part.tsx";

export function AccountData() {
  const may = useMay();
  return (
    <>
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
