/** An owner's browser on the pages of webhooks, and an endpoint on this machine that takes what is posted. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { WatchedPage } from "./browser.ts";
import { type Dashboard, press, startDashboard } from "./dashboard.ts";
import { type Receiver, startReceiver } from "./webhooks.ts";

export type WebhooksVisit = {
  readonly dashboard: Dashboard;
  readonly receiver: Receiver;
  readonly watched: WatchedPage;
  readonly page: Page;
  go(path: string): Promise<unknown>;
  heading(name: string): Promise<void>;
  dialog(): ReturnType<Page["getByRole"]>;
  inDialog(name: string): Promise<void>;
  /** Takes it from the menu of the endpoint. */
  choose(name: string): Promise<void>;
  /** The newest endpoint, as the API shows it. */
  endpoint(): ReturnType<Dashboard["ask"]>;
  /** What is shown of the delivery that is opened. */
  details(): ReturnType<Page["getByRole"]>;
  /** Has something happen that endpoints hear of. */
  addSubscriber(): Promise<void>;
  /** Looks leave the window narrow or dark. */
  wide(): Promise<void>;
  stop(): Promise<void>;
};

export async function visitWebhooks(): Promise<WebhooksVisit> {
  const receiver = await startReceiver();
  const dashboard = await startDashboard({ INTERNAL_HOSTS: "127.0.0.1" });
  const watched = await dashboard.openAsOwner("/webhooks");
  const { page } = watched;
  const dialog = () => page.getByRole("dialog").last();
  let people = 0;
  return {
    dashboard,
    receiver,
    watched,
    page,
    dialog,
    go: (path) => page.goto(dashboard.app.baseUrl + path),
    heading: (name) => page.getByRole("heading", { name, exact: true }).waitFor(),
    inDialog: (name) => dialog().getByRole("button", { name, exact: true }).click(),
    async choose(name) {
      await press(page, "More");
      await page.getByRole("menuitem", { name, exact: true }).click();
    },
    endpoint: async () => (await dashboard.ask("GET", "/v1/webhooks")).data[0],
    details: () => page.getByRole("complementary", { name: "One delivery" }),
    async addSubscriber() {
      const [{ id }] = (await dashboard.ask("GET", "/v1/lists")).data;
      people++;
      const person = { email: `reader${people}@example.com`, list_id: id };
      assert.ok((await dashboard.ask("POST", "/v1/subscribers", person)).id);
    },
    wide: () => page.setViewportSize({ width: 1_440, height: 900 }),
    async stop() {
      await dashboard.stop();
      await receiver.close();
    },
  };
}
