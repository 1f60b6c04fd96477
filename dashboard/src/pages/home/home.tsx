/** What somebody sees first: in the first days a checklist, and then what is on the road, what needs them and how it goes. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { holds } from "../../api/may.ts";
import { query, sessionQuery } from "../../api/queries.ts";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { FirstSteps } from "./first-steps/first-steps.tsx";
import "./home.css";
import { Overview } from "./overview.tsx";
import { RemoveSample } from "./remove-sample.tsx";

const route = getRouteApi("/signed-in/");

export function Home() {
  const { t } = useTranslation();
  const { remove } = route.useSearch();
  const navigate = route.useNavigate();
  const account = useQuery(query("GET /v1/account", {}));
  const session = useQuery(sessionQuery);
  const failed = [account, session].find(({ data, error }) => error && !data);
  if (failed) {
    return <Failure title={t("home.unreadable")} error={failed.error} retry={() => void failed.refetch()} />;
  }
  if (!account.data || !session.data) return <SkeletonLines />;
  const { user } = session.data;
  // Half of the steps change the account, which not everybody may.
  const mayChange = holds(session.data, "account:write");
  return (
    <>
      {mayChange && !account.data.checklist.dismissed ? (
        <FirstSteps account={account.data} userName={user.name ?? ""} />
      ) : (
        <Overview account={account.data} mayChange={mayChange} />
      )}
      {remove && <RemoveSample onClose={() => void navigate({ search: {}, replace: true })} />}
    </>
  );
}
