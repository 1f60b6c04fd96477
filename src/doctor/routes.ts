/**
 * Findings name hosts, folders and settings, so they are for whoever runs the instance. The first start prints its link where only
 * the operator reads it: owners of the first account may ask, and those of others, made on the command line, may not.
 */
import { getAccount } from "../accounts/accounts.ts";
import type { Ctx } from "../platform/context.ts";
import { hasScope } from "../platform/http/access-control.ts";
import { type Route, readRoute } from "../platform/http/route.ts";
import { AppError, defineProblem } from "../platform/problems.ts";
import { formatReport, type Health } from "./doctor.ts";
import { Instance, InstanceHealth } from "./schema.ts";

const tag = "Instance";
const SCOPE = "instance:read";

const operatorOnly = defineProblem(
  403,
  "operator_only",
  "Only for the operator",
  "The health of the instance is shown to the account that was made by its first start, because it says how the machine is set up.",
);

export type HealthTools = {
  readonly version: string;
  readonly readHealth: () => Promise<Health>;
  readonly submission: () => Instance["submission"];
};

export function healthRoutes({ version, readHealth, submission }: HealthTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/instance",
      scope: "account:read",
      tag,
      summary: "Get the instance",
      success: { status: 200, schema: Instance, description: "What this is an account of." },
      async handler({ ctx, principal }) {
        const may_read_health = hasScope(principal, SCOPE) && (await isOperator(ctx));
        const body: Instance = { object: "instance", version, may_read_health, submission: submission() };
        return { status: 200, body };
      },
    }),
    readRoute({
      path: "/v1/instance/health",
      scope: SCOPE,
      tag,
      summary: "Say what is wrong with the instance",
      description:
        "What `npm run postrider -- doctor` says, seen from the process that answers. It takes some seconds, 10 at most; a process " +
        "looks once at a time, and an answer that is less than 5 seconds old comes again. Nothing is changed, and no secret is told.",
      success: { status: 200, schema: InstanceHealth, description: "What was found, good or bad." },
      problems: [operatorOnly],
      async handler({ ctx }) {
        if (!(await isOperator(ctx))) {
          throw new AppError(operatorOnly, "only the account of the instance's first start may see this");
        }
        return { status: 200, body: shapeHealth(version, await readHealth()) };
      },
    }),
  ];
}

async function isOperator({ sql, accountId }: Ctx): Promise<boolean> {
  const first = await getAccount(sql, undefined);
  return first?.account_id === accountId;
}

function shapeHealth(version: string, { checkedAt, findings }: Health): InstanceHealth {
  return {
    object: "instance_health",
    version,
    checked_at: checkedAt.toISOString(),
    checks: findings.map(({ name, group, status, finding, remedy = null }) => ({
      name,
      group,
      status,
      finding,
      remedy,
    })),
    report: formatReport(findings),
  };
}
