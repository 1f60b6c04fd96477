/** These tests hold for every route, also for those that are added later: they check who may reach what. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  createInstanceKey,
  holdAccount,
  ROLES,
  type Role,
  SCOPES,
  scopesOfKey,
} from "../../src/accounts/accounts.ts";
import { scopesOfRole } from "../../src/accounts/roles.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createValidation } from "../../src/platform/http/bodies/validation.ts";
import type { Route } from "../../src/platform/http/route.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { makeFixture, makeFixtures } from "../support/fixtures.ts";
import { makeOperator } from "../support/operators.ts";
import { addPerson, cookieOf, type Person } from "../support/people.ts";
import { allRoutes, bodyFor, exampleOf, fillPath, idsIn, NO_IDS } from "../support/routes.ts";

const UNKNOWN = "01k9zq4t3xe8k8y0v6d3m2n1pq";
const MALFORMED = ["x", "%00", "..%2f..", "00000000-0000-0000-0000-000000000000", "%F0%9F%98%80"];

let app: TestApp;
let other: { accountId: string; key: string };
let people: Readonly<Record<Role, Person>>;
let foreigner: Person;
let operator: Person;
let instanceKey: string;
let suspended: { readonly key: string; readonly owner: Person };
let count = 0;
const unique = () => `somebody${++count}@example.com`;
before(async () => {
  app = await createApp();
  other = await app.addAccount();
  const made: [Role, Person][] = [];
  for (const role of ROLES) made.push([role, await addPerson(app, `${role}@example.com`, role)]);
  people = Object.fromEntries(made) as Record<Role, Person>;
  foreigner = await addPerson(app, "foreigner@example.com", "owner", other.key);
  operator = await addPerson(app, "operator@example.com", "viewer", other.key);
  await makeOperator(app, operator);
  instanceKey = await app.db.transaction((sql) => createInstanceKey({ sql, clock: systemClock }, "a test"));
  const { accountId, key } = await app.addAccount();
  suspended = { key, owner: await addPerson(app, "suspended@example.com", "owner", key) };
  await app.db.transaction((sql) =>
    holdAccount({ sql, accountId, clock: systemClock }, "suspended", "It is a test"),
  );
});
after(() => app.stop());

function send(route: Route, path: string, key: string | null, body = exampleOf(route)): Promise<Reply> {
  return app.api(route.method, path, { key, ...bodyFor(route, body) });
}

/** Sends what a browser would, and leaves the cookie as it was. */
function sendAs(person: Person, route: Route, path: string, account = app.accountId): Promise<Reply> {
  const { headers, ...body } = bodyFor(route, exampleOf(route));
  return app.api(route.method, path, {
    key: null,
    ...body,
    headers: {
      ...headers,
      cookie: cookieOf(person.browser.token),
      origin: app.baseUrl,
      ...(account && { "postrider-account": account }),
    },
  });
}

const prefixes = (route: Route) => new Map(idsIn(route.params));
const withUnknownIds = (route: Route) => fillPath(route, (name) => `${prefixes(route).get(name)}_${UNKNOWN}`);

const fixturesFor = (route: Route, key: string) => makeFixtures(app, key, prefixes(route));

/** Returns a query with the required parameters only, from the examples of their schemas. */
function requiredQuery(route: Route): string {
  const { properties, required = [] } = route.query as { properties: object; required?: string[] };
  const given = Object.entries<{ default?: unknown; examples?: unknown[] }>({ ...properties })
    .filter(([name, property]) => required.includes(name) && property.default === undefined)
    .map(([name, { examples }]) => [name, String(examples?.[0] ?? "someone@example.com")]);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

const everyRoute = allRoutes();
/** What is about the instance is asked of others, at the end. */
const routes = everyRoute.filter(({ ofInstance }) => !ofInstance);

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+")}$`).test(path);
}

for (const route of routes) {
  describe(`${route.method} ${route.path}`, () => {
    const ids = [...prefixes(route)];

    it("says which kind of id each part of its path is, and has an example of its body that fits", () => {
      const parts = [...route.path.matchAll(/:(\w+)/g)].flatMap(([, name]) =>
        Object.hasOwn(NO_IDS, name ?? "") ? [] : [name],
      );
      assert.deepEqual(
        parts.filter((name) => !prefixes(route).has(name ?? "")),
        [],
        "a path parameter without x-id-prefix",
      );
      if (!route.body) return;
      const example = exampleOf(route);
      assert.ok(example !== undefined, "the schema of the body has no `examples`");
      assert.deepEqual(createValidation().body(route.body)(example), []);
    });

    if (route.scope !== null) {
      it("answers 401 without a key", async () => {
        const reply = await send(route, withUnknownIds(route), null);
        assert.equal(reply.status, 401, reply.text);
        assert.ok(reply.headers.has("www-authenticate"));
      });

      it(`answers 403 to a key with every scope but ${route.scope}`, async () => {
        const rest = SCOPES.filter(
          (scope) => scope !== "full" && !scopesOfKey([scope]).includes(route.scope ?? ""),
        );
        const reply = await send(route, withUnknownIds(route), await app.addKey(rest));
        assert.deepEqual([reply.status, reply.body.required_scope], [403, route.scope], reply.text);
      });

      it(`lets a key with ${route.scope} alone pass`, async () => {
        assert.ok((SCOPES as readonly string[]).includes(route.scope ?? ""), "no such scope");
        const key = await app.addKey([route.scope ?? ""]);
        const reply = await send(route, withUnknownIds(route), key);
        assert.notEqual(reply.status, 401, reply.text);
        if (reply.status === 403) assert.notEqual(reply.body.required_scope, route.scope);
      });
    }

    if (route.scope !== null) {
      for (const role of ROLES) {
        const held: readonly string[] = scopesOfRole(role);
        const may = held.includes("full") || held.includes(route.scope);
        it(may ? `lets the ${role} pass` : `answers 403 to the ${role}`, async () => {
          const person = endsSessions(route) ? await addPerson(app, unique(), role) : people[role];
          const reply = await sendAs(person, route, withUnknownIds(route));
          if (may) {
            assert.notEqual(reply.status, 401, reply.text);
            if (reply.status === 403) assert.notEqual(reply.body.required_scope, route.scope, reply.text);
          } else {
            assert.deepEqual([reply.status, reply.body.required_scope], [403, route.scope], reply.text);
          }
        });
      }

      if (endsSessions(route)) {
        it("takes somebody of another account who names this one as themselves", async () => {
          const stranger = await addPerson(app, unique(), "owner", other.key);
          const reply = await sendAs(stranger, route, withUnknownIds(route));
          assert.notEqual(reply.body?.code, "account_unknown", reply.text);
          const { status } = await app.api("GET", "/v1/session", {
            key: null,
            headers: { cookie: cookieOf(people.owner.browser.token) },
          });
          assert.equal(status, 200, "a session of this account goes on");
        });
      } else {
        it("answers 404 to somebody of another account who names this one", async () => {
          const reply = await sendAs(foreigner, route, withUnknownIds(route));
          assert.deepEqual([reply.status, reply.body.code], [404, "account_unknown"], reply.text);
        });
      }
    }

    if (route.scope !== null) {
      const works = route.method === "GET" || route.isPersonal || route.worksWhileHeld;
      it(
        works ? "works while the account is suspended" : "answers 403 while the account is suspended",
        async () => {
          const replies = [
            await send(route, withUnknownIds(route), suspended.key),
            ...(endsSessions(route) ? [] : [await sendAs(suspended.owner, route, withUnknownIds(route), "")]),
          ];
          for (const reply of replies) {
            if (works) assert.notEqual(reply.body?.code, "account_suspended", reply.text);
            else assert.deepEqual([reply.status, reply.body.code], [403, "account_suspended"], reply.text);
          }
        },
      );
    }

    if (route.scope !== null) {
      it("answers 401 to a key of the instance, and 404 to an operator who doesn't belong to the account", async () => {
        const byKey = await send(route, withUnknownIds(route), instanceKey);
        assert.equal(byKey.status, 401, byKey.text);
        if (endsSessions(route)) return;
        const byPerson = await sendAs(operator, route, withUnknownIds(route));
        assert.deepEqual([byPerson.status, byPerson.body.code], [404, "account_unknown"], byPerson.text);
      });
    }

    // A key has no session of its own, whatever id it names.
    if (ids.length > 0 && !route.isPersonal) {
      it("answers 404 to another account, and then as it should to its owner", async () => {
        const made = await fixturesFor(route, other.key);
        const path = fillPath(route, (name) => made.get(name) ?? "");
        const theirs = await send(route, path, app.key);
        assert.deepEqual([theirs.status, theirs.body?.code], [404, "not_found"], theirs.text);
        const own = await send(route, path, other.key);
        assert.ok(![401, 403, 404].includes(own.status), `the owner got ${own.status}: ${own.text}`);
      });

      it("answers 404 to ids that are unknown, malformed or of another kind", async () => {
        const bad = [...MALFORMED, `acc_${UNKNOWN}`, ...ids.map(([, prefix]) => `${prefix}_${UNKNOWN}`)];
        for (const id of bad) {
          const reply = await send(
            route,
            fillPath(route, () => id),
            app.key,
          );
          assert.deepEqual([reply.status, reply.body?.code], [404, "not_found"], `${id}: ${reply.text}`);
        }
      });
    }

    for (const [name, prefix] of idsIn(route.query)) {
      const status = name === "list_id" ? 404 : 400;
      it(`answers ${status} to another account's id as ${name} in the query`, async () => {
        const id = await makeFixture(app, other.key, prefix);
        const made = await fixturesFor(route, app.key);
        const path = fillPath(route, (part) => made.get(part) ?? "");
        const query = new URLSearchParams(requiredQuery(route));
        query.set(name, id);
        const reply = await send(route, `${path}?${query}`, app.key);
        assert.equal(reply.status, status, reply.text);
      });
    }

    for (const [name, prefix] of idsIn(route.body ?? {})) {
      it(`answers 422 to another account's id as ${name} in the body`, async () => {
        const id = await makeFixture(app, other.key, prefix);
        const made = await fixturesFor(route, app.key);
        const path = fillPath(route, (part) => made.get(part) ?? "");
        const reply = await send(route, path, app.key, { ...(exampleOf(route) as object), [name]: id });
        assert.equal(reply.status, 422, reply.text);
        const fault = reply.body.errors.find((one: { pointer: string }) => one.pointer === `/${name}`);
        assert.equal(fault?.code, "not_found", reply.text);
      });
    }
  });
}

for (const route of everyRoute.filter(({ ofInstance }) => ofInstance)) {
  describe(`${route.method} ${route.path}, of the instance`, () => {
    it("answers 401 to nobody", async () => {
      assert.equal((await send(route, withUnknownIds(route), null)).status, 401);
    });

    it("answers to keys, people of every role, and whoever is suspended as a path that isn't there", async () => {
      const unknown = await app.api("GET", "/v1/no/such/path");
      const { request_id: _other, ...expected } = unknown.body;
      const replies = [
        await send(route, withUnknownIds(route), app.key),
        await send(route, withUnknownIds(route), suspended.key),
        await sendAs(foreigner, route, withUnknownIds(route), ""),
      ];
      for (const role of ROLES) replies.push(await sendAs(people[role], route, withUnknownIds(route)));
      for (const reply of replies) {
        const { request_id: _own, ...body } = reply.body;
        assert.deepEqual([reply.status, body], [404, expected], reply.text);
      }
    });

    it("lets operators and keys of the instance pass", async () => {
      const replies = [
        await send(route, withUnknownIds(route), instanceKey),
        await sendAs(operator, route, withUnknownIds(route), ""),
      ];
      for (const reply of replies) {
        assert.ok(![401, 403].includes(reply.status), reply.text);
        assert.notEqual(reply.body?.detail, "there is no such path", reply.text);
      }
    });
  });
}

/** Whoever signs out or changes the password is of no use for the next route. Such a change is the person's, whichever account is named. */
function endsSessions({ method, isPersonal }: Route): boolean {
  return method !== "GET" && isPersonal === true;
}

/** These routes change nothing that their scope lets one read; they are POSTs because they have bodies. */
const READ_BY_POST = [
  "POST /v1/addresses/check",
  "POST /v1/segments/preview",
  "POST /v1/blocks/mjml",
  "POST /v1/campaigns/:id/preview",
  "POST /v1/templates/:id/render",
  // An export is a file of what the key may also read page by page.
  "POST /v1/exports",
  "POST /v1/forms/:id/preview",
  "POST /v1/lists/:id/sunset/preview",
];
/** Whoever is held for what they owe may pay it, and may cancel. */
const PAYING = ["POST /v1/billing/portal", "POST /v1/billing/cancel"];
/** An owner deletes the account, and takes that back while the account is held for it. */
const DELETION = ["POST /v1/account/deletion", "DELETE /v1/account/deletion"];
/** These routes are about one's own session and sign-in, which every user has; an API key gets `no_session`. */
const OWN_SESSION = [
  "DELETE /v1/session",
  "POST /v1/session/password",
  "DELETE /v1/sessions",
  "DELETE /v1/sessions/:id",
  "POST /v1/session/confirm",
  "POST /v1/factors",
  "POST /v1/factors/:id/activate",
  "PATCH /v1/factors/:id",
  "DELETE /v1/factors/:id",
  "POST /v1/recovery_codes",
  "POST /v1/session/confirm/passkey_options",
  "POST /v1/factors/passkey_options",
  "POST /v1/factors/passkeys",
  "POST /v1/email_changes",
  "DELETE /v1/email_changes",
  "POST /v1/email_changes/redeem",
];

describe("the list of routes", () => {
  it("works while an account takes no changes where nothing is changed, and nowhere else", () => {
    const working = routes
      .filter(({ worksWhileHeld }) => worksWhileHeld)
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(working.toSorted(), [...READ_BY_POST, ...DELETION, ...PAYING].toSorted());
  });

  it("lets no scope that reads change anything", () => {
    const changing = routes
      .filter(
        ({ method, scope }) =>
          method !== "GET" && scope !== null && !/:(write|send|test|forget)$/.test(scope),
      )
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(changing.toSorted(), [...READ_BY_POST, ...OWN_SESSION, ...DELETION].toSorted());
    const open = routes.filter(({ scope }) => scope === null).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(open, [
      "POST /v1/session",
      "POST /v1/password_resets",
      "POST /v1/password_links/inspect",
      "POST /v1/password_links/redeem",
      "POST /v1/session/second_factor",
      "POST /v1/session/passkey_options",
      "POST /v1/session/passkey",
      "GET /v1/sign_in_methods",
      "POST /v1/session/sso",
      "POST /v1/session/sso/callback",
      "POST /v1/sign_ups",
      "POST /v1/sign_ups/inspect",
      "POST /v1/sign_ups/redeem",
    ]);
  });

  it("answers 405 with Allow where a fixed path stands beside one with an id", async () => {
    const methodsOf = Map.groupBy(routes, ({ path }) => path);
    let found = 0;
    for (const path of methodsOf.keys()) {
      const fixed = methodsOf.get(path)?.map(({ method }) => method as string) ?? [];
      const beside = routes.filter((route) => route.path.includes(":") && matches(route.path, path));
      for (const { method } of path.includes(":") ? [] : beside) {
        if (fixed.includes(method)) continue;
        found++;
        const reply = await app.api(method, path);
        const allow = fixed.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one])).join(", ");
        assert.deepEqual([reply.status, reply.headers.get("allow")], [405, allow], `${method} ${path}`);
      }
    }
    assert.ok(found >= 5, `${found} such requests`);
  });

  it("has each method and path once, and every scope it asks for can be given", () => {
    const names = routes.map((route) => `${route.method} ${route.path}`);
    assert.equal(new Set(names).size, names.length);
    const scopes = new Set(routes.map((route) => route.scope));
    assert.deepEqual(
      [...scopes].filter((scope) => scope !== null && !(SCOPES as readonly string[]).includes(scope)),
      [],
    );
  });

  it("is what the OpenAPI document lists", async () => {
    const { body } = await app.api("GET", "/openapi.json", { key: null });
    const listed = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/{(\w+)}/g, ":$1")}`),
    );
    assert.deepEqual(
      listed.toSorted(),
      everyRoute.map((route) => `${route.method} ${route.path}`).toSorted(),
    );
  });
});
