import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DIST, makeFresh } from "../../src/dashboard/build.ts";
import { type Installation, makeInstallation } from "../support/process.ts";
import { until } from "../support/until.ts";

let installation: Installation;
before(() => {
  installation = makeInstallation();
});
after(() => installation.clear());

const asBrowser = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers: { accept: "text/html,*/*", ...headers } });

test("a start builds the dashboard beside the running service, serves it, and doesn't build it again", async () => {
  await makeFresh();
  writeFileSync(join(DIST, "stamp"), "another");
  const service = installation.start({ env: { DASHBOARD_BUILD: "auto" } });
  const baseUrl = await service.ready();
  const waiting = await asBrowser(`${baseUrl}/`);
  // The build may be over already where the machine is quick; then the page itself is there.
  if (waiting.status === 503) {
    const text = await waiting.text();
    assert.match(text, /The dashboard is being built/);
    assert.match(text, /http-equiv="refresh"/);
    assert.doesNotMatch(waiting.headers.get("content-security-policy") ?? "", /unsafe/);
  }
  assert.equal((await fetch(`${baseUrl}/healthz`)).status, 200, "everything else is there meanwhile");
  await until(async () => (await asBrowser(`${baseUrl}/`)).status === 200);
  assert.match(service.stdout(), /"the dashboard is built"/);

  const page = await asBrowser(`${baseUrl}/subscribers/anything`);
  assert.equal(page.headers.get("cache-control"), "no-store");
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /script-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|nonce/);
  const html = await page.text();
  assert.doesNotMatch(html, /<style|<script>|https?:\/\//);
  const asset = /\/assets\/[^"]+\.js/.exec(html)?.[0];
  const script = await fetch(baseUrl + asset, { headers: { "accept-encoding": "gzip" } });
  assert.equal(script.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(script.headers.get("content-encoding"), "gzip");

  for (const [path, accept] of [
    ["/nowhere", "*/*"],
    ["/assets/nowhere.js", "*/*"],
    ["/v1/nowhere", "text/html"],
  ] as const) {
    const answer = await fetch(baseUrl + path, { headers: { accept } });
    assert.match(answer.headers.get("content-type") ?? "", /problem\+json/, path);
  }
  assert.equal((await service.stop()).code, 0);

  const again = installation.start({ env: { DASHBOARD_BUILD: "auto" } });
  const address = await again.ready();
  await until(async () => (await asBrowser(`${address}/`)).status === 200);
  assert.doesNotMatch(again.stdout(), /building the dashboard/);
  assert.equal((await again.stop()).code, 0);
});

test("a release brings every file compressed", async () => {
  const built = await installation.build();
  assert.equal(built.code, 0, built.stderr);
  const service = installation.start();
  const baseUrl = await service.ready();
  const page = await asBrowser(`${baseUrl}/`, { "accept-encoding": "br, gzip" });
  assert.equal(page.headers.get("content-encoding"), "br");
  const asset = /\/assets\/[^"]+\.css/.exec(await page.text())?.[0];
  const style = await fetch(baseUrl + asset, { headers: { "accept-encoding": "br" } });
  assert.equal(style.headers.get("content-encoding"), "br");
  assert.match(await style.text(), /--accent/);
  await service.stop();
  rmSync(DIST, { recursive: true });
});

test("without a build, and told never to make one, it says how", async () => {
  const service = installation.start();
  const page = await asBrowser(`${await service.ready()}/`);
  assert.equal(page.status, 503);
  assert.match(await page.text(), /npm run build/);
  await service.stop();
  await makeFresh();
});
