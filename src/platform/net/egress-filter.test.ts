import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { createEgressFilter, type EgressFilter } from "./egress-filter.ts";

function ask(filter: EgressFilter, host: string, all = true): Promise<unknown> {
  return new Promise((resolve, reject) => {
    filter.lookup(host, { all }, (error, found) => (error ? reject(error) : resolve(found)));
  });
}

test("a name that leads inside is refused, without saying where to", async () => {
  for (const host of ["localhost", "127.0.0.1", "::1", "2130706433", "127.1", "0"]) {
    await assert.rejects(ask(createEgressFilter([]), host), (error: NodeJS.ErrnoException) => {
      assert.equal(error.code, "EINTERNAL", host);
      return !/127|::1/.test(error.message);
    });
  }
});

test("where it is listed, by name or by address, it is let through", async () => {
  for (const allowed of ["localhost", "127.0.0.0/8,::1"]) {
    const found = (await ask(createEgressFilter(allowed.split(",")), "localhost")) as { address: string }[];
    assert.ok(found.some(({ address }) => address === "127.0.0.1" || address === "::1"));
  }
  assert.equal(await ask(createEgressFilter(["127.0.0.1"]), "127.0.0.1", false), "127.0.0.1");
});

test("of several addresses those inside are left out", async () => {
  const found = (await ask(createEgressFilter(["127.0.0.1"]), "localhost")) as { address: string }[];
  assert.deepEqual(
    found.map(({ address }) => address),
    ["127.0.0.1"],
  );
});

test("an address of the world passes as it is, and an unknown name fails as ever", async () => {
  assert.deepEqual(await ask(createEgressFilter([]), "1.1.1.1"), [{ address: "1.1.1.1", family: 4 }]);
  await assert.rejects(ask(createEgressFilter([]), "nowhere.invalid"), /ENOTFOUND|EAI_AGAIN/);
});

test("a socket that connects by it doesn't get inside", async (t) => {
  const server = createServer((peer) => peer.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  let connections = 0;
  server.on("connection", () => connections++);
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: "localhost", port, lookup: createEgressFilter([]).lookup });
  const [error] = await once(socket, "error");
  assert.equal(error.code, "EINTERNAL");
  assert.equal(connections, 0);
});

test("a literal address can be judged without asking anybody", () => {
  const filter = createEgressFilter(["10.0.0.0/8"]);
  assert.equal(filter.refusesAddress("169.254.169.254"), true);
  assert.equal(filter.refusesAddress("::ffff:127.0.0.1"), true);
  assert.equal(filter.refusesAddress("10.1.1.1"), false);
  assert.equal(filter.refusesAddress("localhost"), false);
});
