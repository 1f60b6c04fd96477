/** The guides in docs/guides/ work as printed: their commands run in a shell, and their TypeScript in Node.js, against a real service. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { readMarkdown } from "../../tools/markdown.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { caughtFor, untilStatus } from "../support/emails.ts";
import { ROOT } from "../support/process.ts";
import type { Json } from "../support/subscribers.ts";

const run = promisify(execFile);
const withoutCurl = await run("curl", ["--version"]).then(
  () => false,
  () => "there is no curl here",
);

let app: TestApp;
let folder: string;
let smtp: string;
before(async () => {
  app = await createApp({ settings: { SUBMISSION_PORT: "0" } });
  const [line = "{}"] = app.logs.filter((one) => one.includes("takes mail by SMTP"));
  smtp = `smtp://127.0.0.1:${JSON.parse(line).port}`;
  folder = mkdtempSync(join(tmpdir(), "postrider-docs-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  write("docs/transactional.md");
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

function blocksOf(page: string, language: string): string[] {
  const { code } = readMarkdown(readFileSync(join(ROOT, page), "utf8"));
  return code.filter((one) => one.language === language).map(({ text }) => text);
}

/** Writes the programs of a page to files, each under the name in its first line, and returns the names. */
function write(page: string): string[] {
  return blocksOf(page, "ts").map((text) => {
    const name = /^\/\/ ([a-z-]+\.ts)\n/.exec(text)?.[1] ?? assert.fail(`a program of ${page} has no name`);
    writeFileSync(join(folder, name), text);
    return name;
  });
}

function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], BASE_URL: app.baseUrl, KEY: app.key, SMTP: smtp, TLS: "", ...more };
}

/** Runs all commands of a page in one shell, which stops at the first one that fails. */
async function runCommands(page: string): Promise<string> {
  const script = blocksOf(page, "sh").join("\n");
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], {
    cwd: folder,
    env: environment(),
  });
  return stdout;
}

async function runProgram(name: string, more: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run(process.execPath, [name], { cwd: folder, env: environment(more) });
  return stdout.trim();
}

async function find(query: string): Promise<Json[]> {
  const page = await app.api("GET", `/v1/emails?${query}`);
  assert.equal(page.status, 200, page.text);
  return page.body.data;
}

/** Makes and publishes the template as the page's commands do, where there is no curl to run them. */
async function templateOf(printed: string, body: Json): Promise<string> {
  const shown = /^TEMPLATE=(tpl_\w+)$/m.exec(printed)?.[1];
  if (shown) return shown;
  const made = await app.api("POST", "/v1/templates", { body });
  await app.api("POST", `/v1/templates/${made.body.id}/publish`);
  return made.body.id;
}

test("all programs are right under the strictest types", async () => {
  const pages = ["reset-password", "receipt", "magic-link", "from-another-api", "from-another-smtp"];
  const names = pages.flatMap((page) => write(`docs/guides/${page}.md`));
  assert.equal(names.length, 9);
  const compilerOptions = {
    ...JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")).compilerOptions,
    // What is left out of JSON may be undefined in the object.
    exactOptionalPropertyTypes: false,
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: [...names, "postrider.ts"] }),
  );
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  await run(tsc, ["-p", "."], { cwd: folder, env: environment() }).catch((error) =>
    assert.fail(error.stdout),
  );
});

test("reset password", async () => {
  const printed = withoutCurl ? "" : await runCommands("docs/guides/reset-password.md");
  const TEMPLATE = await templateOf(printed, {
    name: "Reset password",
    subject: "Choose a new password",
    html: '<a href="{{ url }}">{{ name }} {{ minutes }}</a>',
    variables: ["url", "minutes", "name"].map((name) => ({
      name,
      type: name === "minutes" ? "number" : "string",
    })),
  });
  if (!withoutCurl) assert.match(printed, /"timeline":\[\{"type":"queued"/);
  write("docs/guides/reset-password.md");
  await runProgram("reset-password.ts", { TEMPLATE });
  const found = await find("to=ada@example.com&tag=password-reset");
  assert.equal(found.length, withoutCurl ? 1 : 2);
  for (const { id } of found) await untilStatus(app, id, "sent");
  const content = await app.api("GET", `/v1/emails/${found[0]?.["id"]}/content`);
  assert.match(content.body.html, /href="https:\/\/app\.example\.com\/reset\?id=81724&amp;token=c07d2e"/);
  assert.match(content.body.text, /https:\/\/app\.example\.com\/reset\?id=81724&token=c07d2e/);
  // Whoever can't be reached is nobody's fault: the program ends well, and nothing is sent.
  await app.api("POST", "/v1/suppressions", { body: { email: "ada@example.com", reason: "manual" } });
  writeFileSync(
    join(folder, "again.ts"),
    readFileSync(join(folder, "reset-password.ts"), "utf8").replace("81724", "81725"),
  );
  await runProgram("again.ts", { TEMPLATE });
  assert.equal((await find("to=ada@example.com&tag=password-reset")).length, found.length);
  const [{ id: suppression = "" } = {}] = (await app.api("GET", "/v1/suppressions")).body.data;
  assert.equal((await app.api("DELETE", `/v1/suppressions/${suppression}`)).status, 204);
});

test("receipt", async () => {
  writeFileSync(join(folder, "receipt-1042.pdf"), "%PDF");
  const printed = withoutCurl ? "" : await runCommands("docs/guides/receipt.md");
  const TEMPLATE = await templateOf(printed, { name: "Our receipt", starter: "receipt" });
  write("docs/guides/receipt.md");
  assert.equal(await runProgram("receipt.ts", { TEMPLATE }), "mailed once");
  const [email] = await find("metadata[order]=1043");
  assert.equal(email?.["subject"], "Your receipt for order 1043");
  if (withoutCurl) return;
  assert.match(printed, /"missing":\[/);
  const [first] = await find("metadata[order]=1042");
  await untilStatus(app, first?.["id"], "sent");
  const [hidden = ""] = await caughtFor(app, "books@acme.example");
  assert.match(hidden, /filename="?receipt-1042\.pdf/);
  assert.doesNotMatch(hidden, /books@/);
});

test("magic link", async () => {
  if (!withoutCurl) await runCommands("docs/guides/magic-link.md");
  write("docs/guides/magic-link.md");
  assert.match(await runProgram("magic-link.ts"), /^(look in your inbox|it takes longer than usual)$/);
  assert.equal((await find("tag=sign-in")).length, withoutCurl ? 1 : 2);
});

test("moving from another API", async () => {
  if (!withoutCurl) await runCommands("docs/guides/from-another-api.md");
  const names = write("docs/guides/from-another-api.md");
  await Promise.all(names.map((name) => runProgram(name)));
  const to = async (query: string) => (await find(query)).map((one) => one["to"]);
  assert.deepEqual((await to("tag=from-sendgrid")).flat().sort(), [
    "Ada <ada@example.com>",
    "grace@example.com",
  ]);
  assert.deepEqual(await to("tag=from-postmark"), [
    ['"Lovelace, Ada" <ada@example.com>', "grace@example.com"],
  ]);
  const [mailgun] = await find("tag=from-mailgun");
  assert.deepEqual([mailgun?.["metadata"], mailgun?.["reply_to"]], [{ user: "4714" }, "help@acme.example"]);
  assert.deepEqual(mailgun?.["attachments"], [
    { filename: "logo.png", content_type: "image/png", size: "a picture".length },
  ]);
  for (const source of ["from-resend", "from-ses"]) {
    assert.deepEqual(await to(`metadata[source]=${source}`), [["ada@example.com"]], source);
  }
});

test("moving from another SMTP", async () => {
  if (!withoutCurl) assert.match(await runCommands("docs/guides/from-another-smtp.md"), /"user":"4711"/);
  write("docs/guides/from-another-smtp.md");
  assert.equal(await runProgram("welcome.ts"), "mailed once");
  assert.equal((await find("metadata[user]=4712")).length, 1);
});

test("a program whose answers are lost, or that is put off, mails once", async () => {
  const { proxy, url } = await startUnreliableProxy();
  writeFileSync(
    join(folder, "lost.ts"),
    `import { sendEmail } from "./postrider.ts";
     const mail = { from: "a@acme.example", to: ["lost@example.com"], subject: "Once", text: "Once" };
     console.log((await sendEmail("lost-1", mail)).id);`,
  );
  const id = await runProgram("lost.ts", { BASE_URL: url });
  proxy.close();
  const found = await find("to=lost@example.com");
  assert.deepEqual(
    found.map((one) => one["id"]),
    [id],
  );
});

/** Stands before the service: the first answer is 503, and of the second the service knows alone. */
async function startUnreliableProxy(): Promise<{ proxy: Server; url: string }> {
  let asked = 0;
  const proxy = createServer(async (request, reply) => {
    asked += 1;
    if (asked === 1) return reply.writeHead(503, { "retry-after": "1" }).end("{}");
    const body = Buffer.concat(await request.toArray());
    const headers = { ...request.headers } as Record<string, string>;
    for (const name of ["host", "connection", "content-length", "transfer-encoding"]) delete headers[name];
    const answer = await fetch(`${app.baseUrl}${request.url}`, { method: "POST", headers, body });
    const text = await answer.text();
    if (asked === 2) return reply.destroy();
    return reply.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return { proxy, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}
