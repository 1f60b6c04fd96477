/** Opens campaigns in the composer, types, and asks the API what was saved. */
import type { Page } from "playwright-core";
import type { WatchedPage } from "./browser.ts";
import { type Dashboard, press, startDashboard } from "./dashboard.ts";
import { PASSWORD } from "./people.ts";
import { until } from "./until.ts";

/** What every campaign of these tests says at first. */
export const HTML = "<h1>Winter</h1>\n<p>Dear {{ first_name }},</p>\n<p>Yours</p>";

export type ComposerTest = Awaited<ReturnType<typeof startComposer>>;

/** A dashboard whose owner is signed in on `page`, with twelve readers on a list; eight have a tag. */
export async function startComposer(settings: Record<string, string> = {}) {
  const dashboard: Dashboard = await startDashboard(settings);
  const api = async (method: string, path: string, body?: unknown) =>
    (await dashboard.app.api(method, path, body === undefined ? {} : { body })).body;
  await api("PATCH", "/v1/account", { from_name: "Fernhill", from_email: "letters@fernhill.example" });
  const listId: string = (await api("GET", "/v1/lists")).data[0].id;
  const subscribers = Array.from({ length: 12 }, (_, n) => ({
    email: `reader-${n}@example.com`,
    first_name: `Reader${n}`,
    list_id: listId,
    tags: n < 8 ? ["letter"] : [],
  }));
  await api("POST", "/v1/subscribers/batch", { subscribers });
  const watched = await dashboard.openAsOwner();
  const { page } = watched;
  const field = (name: string, on = page) => on.getByRole("textbox", { name, exact: true });
  const campaign = (id: string) => api("GET", `/v1/campaigns/${id}`);
  const state = (text: string | RegExp, on = page) =>
    on.locator(".save-state").getByText(text).first().waitFor();
  /** Puts the caret at the end of a line with chips. */
  const atEnd = async (name: string, on = page) => {
    await field(name, on).click();
    await on.keyboard.press("End");
  };
  return {
    dashboard,
    api,
    listId,
    watched,
    page,
    field,
    campaign,
    state,
    atEnd,
    saved: (on?: Page) => state(/^Saved/, on),
    async made(fields: object = {}): Promise<string> {
      const body = { name: "Winter", list_id: listId, subject: "Winter news", html: HTML, ...fields };
      return (await api("POST", "/v1/campaigns", body)).id;
    },
    async open(id: string, on = page): Promise<void> {
      await on.goto(`${dashboard.app.baseUrl}/campaigns/${id}/edit`);
      await field("Subject", on).waitFor();
    },
    isSaved: (id: string, wanted: object) =>
      until(async () => {
        const found = await campaign(id);
        return Object.entries(wanted).every(
          ([name, value]) => JSON.stringify(found[name]) === JSON.stringify(value),
        );
      }),
    typed: async (name: string, text: string, on = page) => {
      await atEnd(name, on);
      await on.keyboard.type(text);
    },
    /** Somebody else comes in, in a browser of their own. */
    async invite(name: string, email: string): Promise<WatchedPage> {
      const invited = await api("POST", "/v1/invitations", { email, name });
      const theirs = await dashboard.open(invited.link);
      await theirs.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(theirs.page, "Open the dashboard");
      await theirs.page.waitForURL(`${dashboard.app.baseUrl}/`);
      return theirs;
    },
    inDialog: (name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true }).click(),
  };
}
