/** What a message that was examined rests on beside itself: its list, its account, and what holds the account's mail. */
import { createHash } from "node:crypto";
import type { Ctx } from "../../platform/context.ts";
import type { Message } from "../message.ts";
import { readSenderDefaults } from "../sender-defaults.ts";
import type { MessageTools } from "./examine.ts";
import { guardrailChecks } from "./guardrail-checks.ts";

/** Returns a digest that differs once any of it has changed, so that whoever examined earlier can tell. Nothing is compiled. */
export async function readBasis(
  ctx: Ctx,
  tools: Pick<MessageTools, "relayHost">,
  message: Pick<Message, "listId" | "topicId" | "stream">,
): Promise<string> {
  const { list, ...defaults } = await readSenderDefaults(ctx, tools, message);
  const holds = await guardrailChecks(ctx, defaults);
  // How many subscribers a list has is no setting.
  const settings = list && { ...list, counts: null };
  return createHash("sha256")
    .update(JSON.stringify([settings, defaults, holds]))
    .digest("base64url");
}
