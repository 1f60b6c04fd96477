/** The account's colour and logo, which all public pages show. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { picture, uploadFile } from "../support/images.ts";
import { eventsSince, type Json } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api,public" } });
});
after(() => app.stop());

const patch = (branding: Json) => app.api("PATCH", "/v1/account", { body: { branding } });
const faultsOf = (body: Json) =>
  body["errors"].map((one: Json) => `${one["pointer"]} ${one["code"]}`).toSorted();
const upload = async () => (await uploadFile(app, await picture("png"))).body.id as string;

test("a colour and a logo are set, kept apart from each other, and cleared", async () => {
  const fresh = await app.api("GET", "/v1/account");
  assert.deepEqual(fresh.body.branding, { colour: null, logo_file_id: null });
  const { cursor } = await eventsSince(app);
  const logo = await upload();
  const both = await patch({ colour: "#1F3A5F", logo_file_id: logo });
  assert.deepEqual([both.status, both.body.branding], [200, { colour: "#1f3a5f", logo_file_id: logo }]);
  assert.deepEqual((await app.api("GET", "/v1/account")).body.branding, both.body.branding);
  assert.notEqual(both.headers.get("etag"), fresh.headers.get("etag"));
  assert.deepEqual((await patch({ colour: null })).body.branding, { colour: null, logo_file_id: logo });
  assert.deepEqual((await patch({})).body.branding, { colour: null, logo_file_id: logo });
  assert.deepEqual((await patch({ logo_file_id: null })).body.branding, { colour: null, logo_file_id: null });
  const { events } = await eventsSince(app, cursor);
  assert.deepEqual(
    events.filter(({ type }) => type === "account.updated").map(({ data }) => data.changed),
    [["branding"], ["branding"], ["branding"]],
  );
});

test("a colour that is none and a file that isn't the account's are refused, each at its place", async () => {
  for (const colour of ["", "red", "#12345", "#1234567", "#12345g", "#fff", "#1f3a5f;}", "url(x)"]) {
    const reply = await patch({ colour });
    assert.equal(reply.status, 422, colour);
    assert.deepEqual(faultsOf(reply.body).length, 1);
    assert.match(faultsOf(reply.body)[0], /^\/branding\/colour /);
  }
  const other = { ...app, ...(await app.addAccount()) };
  const theirs = (await uploadFile(other, await picture("png"))).body.id;
  for (const file of [theirs, "fil_01k9zq4t3xe8k8y0v6d3m2n1pq", "x", ""]) {
    const reply = await patch({ logo_file_id: file });
    assert.deepEqual([reply.status, faultsOf(reply.body)], [422, ["/branding/logo_file_id not_found"]], file);
  }
  const unknown = await patch({ font: "x" });
  assert.deepEqual(faultsOf(unknown.body), ["/branding/font unknown_field"]);
});

test("the logo can't be deleted while it is one, whichever came first", async () => {
  const logo = await upload();
  await patch({ logo_file_id: logo });
  const refused = await app.api("DELETE", `/v1/files/${logo}`);
  assert.deepEqual([refused.status, refused.body.code], [409, "file_in_use"]);
  assert.deepEqual(refused.body.used_by, ["the account's logo"]);
  await patch({ logo_file_id: null });
  assert.equal((await app.api("DELETE", `/v1/files/${logo}`)).status, 204);
  assert.equal((await patch({ logo_file_id: logo })).status, 422);
  // At once, one of the two is told so, and the account never shows what is gone.
  for (let round = 0; round < 5; round++) {
    const file = await upload();
    const [set, gone] = await Promise.all([
      patch({ logo_file_id: file }),
      app.api("DELETE", `/v1/files/${file}`),
    ]);
    assert.ok(
      (set.status === 200 && gone.status === 409) || (set.status === 422 && gone.status === 204),
      `${set.status} ${gone.status}`,
    );
    await patch({ logo_file_id: null });
  }
  const { dangling } = await app.db.one<{ dangling: number }>(sql`
    select count(*)::int as dangling from accounts a
    where logo_file_id is not null and not exists (select from files f where f.account_id = a.account_id and f.id = a.logo_file_id)`);
  assert.equal(dangling, 0);
});

test("what becomes of a colour is shown beforehand, in both themes", async () => {
  const preview = async (colour?: string) =>
    app.api("GET", `/v1/branding_preview${colour ? `?colour=${encodeURIComponent(colour)}` : ""}`);
  const navy = (await preview("#1F3A5F")).body;
  assert.deepEqual(
    [navy.colour, navy.light.button, navy.light.button_text],
    ["#1f3a5f", "#1f3a5f", "#ffffff"],
  );
  assert.ok(navy.light.contrast > 10 && navy.dark.button !== "#1f3a5f" && navy.dark.contrast >= 4.5);
  const grey = (await preview("#808080")).body;
  assert.ok(grey.light.contrast >= 4.5 && grey.dark.contrast >= 4.5);
  assert.notEqual(
    grey.light.mark,
    "#808080",
    "a mark stands on the page itself, where that grey is too faint",
  );
  assert.equal((await preview()).body.colour, null);
  assert.equal((await preview("red")).status, 400);
});
