import "../../../i18n/later/settings/security.ts";
import { OwnFactors } from "./factors.tsx";
import { FactorDue, RequiredFactors } from "./required-factors.tsx";
import { OwnSessions } from "./sessions.tsx";

/** What keeps one's own sign-in safe: second factors, and where one is signed in. */
export function SecuritySettings() {
  return (
    <>
      <FactorDue />
      <OwnFactors />
      <hr className="rule" />
      <OwnSessions />
      <RequiredFactors />
    </>
  );
}
