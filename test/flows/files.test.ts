import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import sharp from "sharp";
import { deleteFile } from "../../src/files/files.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import type { AppError } from "../../src/platform/problems.ts";
import { claimPublicName, findPublicName, releasePublicName } from "../../src/platform/public-names.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  animation,
  EMPTY_ZIP,
  gifBomb,
  gifScript,
  hugePng,
  jpegWithComment,
  photograph,
  picture,
  uploadFile,
} from "../support/images.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let other: { accountId: string; key: string };
before(async () => {
  app = await createApp();
  other = await app.addAccount();
});
after(() => app.stop());

const counts = () =>
  app.db.one(sql`
    select (select count(*) from files) as files, (select coalesce(sum(bytes), 0)::int from files) as bytes,
           (select count(*) from public_names where kind = 'file') as names,
           (select coalesce(sum(files), 0)::int from file_totals) as counted,
           (select coalesce(sum(bytes), 0)::int from file_totals) as weighed`);

/** An event is listed once no older transaction is open, which may be one of another test's. */
const untilEvent = (type: string, fileId: string) =>
  until(async () => {
    const { body } = await app.api("GET", `/v1/events?type=${type}`);
    return body.data.some((event: { data: object }) => isDeepStrictEqual(event.data, { file_id: fileId }));
  });

test("an image that a campaign shows isn't deleted", async () => {
  const made = await uploadFile(app, await picture("png"), { name: "shown.png" });
  const { body: lists } = await app.api("GET", "/v1/lists");
  const body = {
    name: "n",
    list_id: lists.data[0].id,
    subject: "s",
    html: `<img src="${made.body.url}" alt="x">`,
  };
  const campaign = await app.api("POST", "/v1/campaigns", { body });
  assert.equal(campaign.status, 201, campaign.text);
  const refused = await app.api("DELETE", `/v1/files/${made.body.id}`);
  assert.deepEqual([refused.status, refused.body.code], [409, "file_in_use"], refused.text);
  await app.api("DELETE", `/v1/campaigns/${campaign.body.id}`);
  assert.equal((await app.api("DELETE", `/v1/files/${made.body.id}`)).status, 204);
});

test("an uploaded image is described, listed and served", async () => {
  const made = await uploadFile(app, await picture("png"), { name: "Logo@2x.png" });
  assert.equal(made.status, 201, made.text);
  const { id, url, created_at, updated_at, bytes, ...rest } = made.body;
  assert.deepEqual(rest, {
    object: "file",
    name: "Logo@2x.png",
    content_type: "image/png",
    width: 60,
    height: 40,
  });
  assert.match(id, /^fil_/);
  assert.equal(url, `${app.baseUrl}/files/${id}`);
  assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/files/${id}`);
  assert.equal(created_at, updated_at);
  assert.deepEqual((await app.api("GET", `/v1/files/${id}`)).body, made.body);
  const served = await fetch(url);
  assert.equal(served.status, 200);
  assert.equal((await served.bytes()).length, bytes);
  await untilEvent("file.created", id);
});

test("pages go from the newest to the oldest", async () => {
  const own = { ...app, ...(await app.addAccount()) };
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await uploadFile(own, await picture("gif"))).body.id);
  const seen: string[] = [];
  let path: string | undefined = "/v1/files?limit=2&include_total=true";
  while (path) {
    const { body } = await app.api("GET", path, { key: own.key });
    assert.equal(body.total, 5);
    seen.push(...body.data.map((one: { id: string }) => one.id));
    path = body.next_cursor && `/v1/files?limit=2&include_total=true&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(seen, ids);
});

describe("the public address", () => {
  it("lets every cache keep it, and lets nothing run", async () => {
    const { body } = await uploadFile(app, await picture("jpeg"), { name: "a.html", type: "text/html" });
    const get = await fetch(body.url, { headers: { cookie: "session=x" } });
    const content = await get.bytes();
    const expected = {
      "content-type": "image/jpeg",
      "content-length": String(body.bytes),
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'",
      "cross-origin-resource-policy": "cross-origin",
      "set-cookie": null,
    };
    const head = await fetch(body.url, { method: "HEAD" });
    assert.deepEqual([head.status, (await head.bytes()).length], [200, 0]);
    const etag = get.headers.get("etag") ?? "";
    assert.match(etag, /^"[\w-]{22}"$/);
    for (const reply of [get, head]) {
      for (const [name, value] of Object.entries({ ...expected, etag })) {
        assert.equal(reply.headers.get(name), value, name);
      }
    }
    assert.equal(content.length, body.bytes);
    const again = await fetch(body.url, { headers: { "if-none-match": etag } });
    assert.deepEqual([again.status, await again.text(), again.headers.get("etag")], [304, "", etag]);
  });

  it("answers 404 to anything else", async () => {
    const { id } = (await uploadFile(app, await picture("png"))).body;
    const unknown = "fil_01k9zq4t3xe8k8y0v6d3m2n1pq";
    for (const path of [unknown, `${id}.png`, `${id}/`, id.toUpperCase(), id.slice(4), "%00", "", "..%2f"]) {
      const reply = await app.api("GET", `/files/${path}`, { key: null });
      assert.equal(reply.status, 404, path);
      assert.equal(reply.headers.get("cache-control"), "no-store");
    }
    for (const method of ["POST", "PUT", "DELETE"]) {
      assert.equal((await app.api(method, `/files/${id}`, { key: null })).status, 404, method);
    }
  });

  it("is asked of the database once, however many want it at once", async () => {
    const { body } = await uploadFile(app, await picture("webp"));
    const replies = await Promise.all(Array.from({ length: 20 }, () => fetch(body.url)));
    const sizes = await Promise.all(replies.map(async (reply) => (await reply.bytes()).length));
    assert.deepEqual(new Set(sizes), new Set([body.bytes]));
    // Behind the service's back: only its memory can know the image now.
    await app.db.execute(sql`delete from public_names where name = ${body.id}`);
    assert.equal((await fetch(body.url)).status, 200);
  });

  it("is gone once the file is deleted, and so is the room that it took", async () => {
    const before_ = await counts();
    const { body } = await uploadFile(app, await picture("png"));
    assert.equal((await fetch(body.url)).status, 200);
    assert.equal((await app.api("DELETE", `/v1/files/${body.id}`)).status, 204);
    await until(async () => (await fetch(body.url)).status === 404);
    assert.equal((await app.api("GET", `/v1/files/${body.id}`)).status, 404);
    assert.equal((await app.api("DELETE", `/v1/files/${body.id}`)).status, 404);
    assert.deepEqual(await counts(), before_);
    await untilEvent("file.deleted", body.id);
  });

  it("serves what is larger than one slice of the database byte by byte", async () => {
    const raw = { width: 900, height: 900, channels: 3 } as const;
    const upload = await sharp(randomBytes(900 * 900 * 3), { raw })
      .png()
      .toBuffer();
    const { body } = await uploadFile(app, upload);
    assert.ok(body.bytes > 1_100_000, `${body.bytes} bytes`);
    const served = Buffer.from(await (await fetch(body.url)).bytes());
    const seen = async (image: Buffer) => (await sharp(image).raw().toBuffer()).toString("base64");
    assert.equal(await seen(served), await seen(upload));
  });
});

test("another account sees nothing of it but the image", async () => {
  const { id } = (await uploadFile(app, await picture("png"))).body;
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await app.api(method, `/v1/files/${id}`, { key: other.key })).status, 404, method);
  }
  const { body } = await app.api("GET", "/v1/files", { key: other.key });
  assert.deepEqual(body.data, []);
  assert.equal((await app.api("GET", `/v1/files/${id}`)).status, 200);
});

test("only the picture is served: upright, moving, and without a word of its metadata", async () => {
  const { body: photo } = await uploadFile(app, await photograph(), { name: "holiday.jpg" });
  assert.deepEqual([photo.width, photo.height], [40, 60]);
  const served = Buffer.from(await (await fetch(photo.url)).bytes());
  assert.ok(!served.includes("Ada Canary"));
  const { body: moving } = await uploadFile(app, await animation("gif"));
  const frames = Buffer.from(await (await fetch(moving.url)).bytes());
  assert.equal((await sharp(frames).metadata()).pages, 3);
});

test("content decides, and neither the name nor the declared type", async () => {
  const gif = await uploadFile(app, await picture("gif"), { name: "a.png", type: "image/png" });
  assert.equal(gif.body.content_type, "image/gif");
  const text = await uploadFile(app, "hello", { name: "a.png", type: "image/png" });
  assert.equal(text.body.code, "invalid_image");
});

const hostile: readonly [what: string, make: () => Promise<Buffer> | Buffer, status: number][] = [
  ["an empty file", () => Buffer.alloc(0), 422],
  ["an SVG", () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), 422],
  ["half a JPEG", async () => (await picture("jpeg", 400, 300)).subarray(0, 4_000), 422],
  ["half an animation", async () => (await animation("gif")).subarray(0, 100), 422],
  ["a PNG of 30,000 × 30,000 pixels", () => hugePng(), 422],
  ["an animation of 25 billion pixels", () => gifBomb(5_000, 5_000, 1_000), 422],
  ["a GIF that is a script", gifScript, 422],
  ["a JPEG that is a ZIP", async () => Buffer.concat([await picture("jpeg"), EMPTY_ZIP]), 422],
  ["a JPEG with a page in its comment", () => jpegWithComment("<script>alert(1)</script>"), 422],
  ["11 MB", () => Buffer.alloc(11 * 1_048_576, "GIF89a"), 413],
];
for (const [what, make, status] of hostile) {
  test(`${what} is refused, and nothing is kept of it`, async () => {
    const before_ = await counts();
    const reply = await uploadFile(app, await make());
    const code = status === 413 ? "body_too_large" : "invalid_image";
    assert.deepEqual([reply.status, reply.body.code], [status, code], reply.text);
    assert.deepEqual(await counts(), before_);
  });
}

test("a form with other parts, without a file or broken off is refused", async () => {
  const part = (name: string, more = "") =>
    `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const send = (body: string) =>
    app.api("POST", "/v1/files", { body, headers: { "content-type": "multipart/form-data; boundary=x" } });
  const faultOf = async (body: string) => {
    const reply = await send(body);
    return `${reply.status} ${reply.body.errors?.[0].pointer} ${reply.body.errors?.[0].code}`;
  };
  assert.equal(await faultOf("--x--\r\n"), "422 /file required");
  assert.equal(await faultOf(`${part("options")}{}\r\n--x--\r\n`), "422 /options unknown_field");
  assert.equal(await faultOf(`${part("file")}text\r\n--x--\r\n`), "422 /file unknown_field");
  assert.equal((await send(`${part("file", '; filename="a.png"')}GIF89a`)).status, 400);
  assert.equal((await app.api("POST", "/v1/files", { body: {} })).status, 415);
});

test("the same key has the same file for an answer, and another image under it is refused", async () => {
  const headers = { "idempotency-key": "one image" };
  const [red, blue] = [await picture("png"), await picture("jpeg")];
  const first = await uploadFile(app, red, { headers });
  const again = await uploadFile(app, red, { headers });
  assert.deepEqual([again.status, again.body.id], [201, first.body.id]);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.equal((await uploadFile(app, blue, { headers })).body.code, "idempotency_key_reused");
});

test("an account stores 1 GB at most", async () => {
  const full = { ...app, ...(await app.addAccount()) };
  const small = await picture("png");
  const fill = (bytes: number) =>
    app.db.execute(sql`
      insert into file_totals (account_id, files, bytes) values (${full.accountId}, 1, ${bytes})
      on conflict (account_id) do update set bytes = excluded.bytes`);
  for (const used of [1_024 ** 3, 1_024 ** 3 - 10]) {
    await fill(used);
    const { status, body } = await uploadFile(full, small);
    assert.deepEqual(
      [status, body.code, body.quota_bytes, body.used_bytes],
      [422, "files_quota_exceeded", 1_024 ** 3, used],
    );
  }
  await fill(0);
  assert.equal((await uploadFile(full, small)).status, 201);
});

test("many at once are all taken or told to come again, and the totals are right", async () => {
  const image = await picture("png");
  const replies = await Promise.all(Array.from({ length: 20 }, () => uploadFile(app, image)));
  for (const { status, body, text } of replies) assert.ok(status === 201 || body.code === "files_busy", text);
  assert.ok(replies.filter(({ status }) => status === 201).length >= 8);
  const busy = replies.find(({ status }) => status === 503);
  if (busy) assert.equal(busy.headers.get("retry-after"), "2");
  const found = await app.db.one<{ files: number; counted: number; bytes: number; weighed: number }>(sql`
    select count(f.id)::int as files, max(t.files) as counted, sum(f.bytes)::int as bytes, max(t.bytes) as weighed
    from files f join file_totals t on t.account_id = f.account_id
    where f.account_id = ${fromPublicId("acc", app.accountId)}`);
  assert.deepEqual([found.counted, found.weighed], [found.files, found.bytes]);
});

test("a file that something shows is not deleted", async () => {
  const { body } = await uploadFile(app, await picture("png"));
  const accountId = fromPublicId("acc", app.accountId) ?? "";
  const id = fromPublicId("fil", body.id) ?? "";
  const actor = { kind: "system", id: null } as const;
  const log = createLog({ level: "silent", pretty: false });
  const remove = (users: readonly (string | null)[]) =>
    app.db.transaction((tx) =>
      deleteFile(
        { sql: tx, accountId, actor, clock: systemClock, log },
        users.map((user) => async () => user),
        id,
      ),
    );
  await assert.rejects(remove([null, "the account's logo"]), (error: AppError) => {
    assert.deepEqual([error.problem.code, error.problem.status], ["file_in_use", 409]);
    assert.deepEqual(error.members, { used_by: ["the account's logo"] });
    return true;
  });
  assert.equal((await fetch(body.url)).status, 200);
  await remove([null, null]);
  assert.equal((await app.api("GET", `/v1/files/${body.id}`)).status, 404);
});

test("a public name belongs to the account that came first, and only that one lets it go", async () => {
  const [mine, theirs] = [fromPublicId("acc", app.accountId) ?? "", other.accountId];
  const id = "01890a5d-ac96-774b-bcce-b302099a8057";
  const claim = (accountId: string) =>
    app.db.transaction((tx) => claimPublicName(tx, "slug", "news", accountId, id));
  assert.deepEqual([await claim(mine), await claim(theirs), await claim(mine)], [true, false, false]);
  const release = (accountId: string) =>
    app.db.transaction((tx) => releasePublicName(tx, "slug", "news", accountId));
  await release(theirs);
  assert.deepEqual(await findPublicName(app.db, "slug", "news"), { account_id: mine, id });
  assert.equal(await findPublicName(app.db, "file", "news"), undefined);
  await release(mine);
  assert.equal(await claim(theirs), true);
});
