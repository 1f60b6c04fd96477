/** Starts an automation by the API, so that its mails are frozen as people's are. */
import { fromPublicId } from "../../src/platform/ids.ts";
import { POSTAL_ADDRESS } from "../send/newsletter.ts";
import type { FilledDatabase, Service } from "../send/service.ts";

export const MAIL = {
  type: "email",
  subject: "Hello {{ first_name }}",
  html: '<p>Hello {{ first_name }}, you have {{ fields.points }} points.</p><p><a href="https://shop.example/">Shop</a></p>',
  from_name: "News of the shop",
  from_email: "news@example.org",
};

/** It begins with the first of its steps. Returns its id in the database. */
export async function startAutomation(
  { ask }: Service,
  { listId }: Pick<FilledDatabase, "listId">,
  nodes: object,
  entry: object = { on: [{ type: "list_joined" }] },
): Promise<string> {
  await ask("PATCH", `/lists/${listId}`, { postal_address: POSTAL_ADDRESS });
  const draft = { format: 1, start: Object.keys(nodes)[0], entry, nodes };
  const { id } = await ask("POST", "/automations", { name: "Bench", list_id: listId, draft });
  await ask("POST", `/automations/${id}/start`);
  return fromPublicId("aut", id) ?? "";
}
