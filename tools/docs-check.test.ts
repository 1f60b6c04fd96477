import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findDocFaults, type World } from "./docs-rules.ts";
import { readMarkdown } from "./markdown.ts";

const files = new Set([
  ...["README.md", "docs/guide.md", "docs/", "docs", ".ci/run", "package.json"],
  ...["src/", "src/main.ts", "src/campaigns/", "src/campaigns/status.ts", "src/*.ts", "src/{main,cli}.ts"],
  ...["src/roles/", "src/roles/api.ts", "migrations/", "migrations/0001_accounts.sql"],
]);

const world: World = {
  exists: (path) => files.has(path),
  anchorsOf: (path) => new Set(path === "docs/guide.md" ? ["first-steps"] : ["start", "start-1"]),
  scripts: new Set(["start", "test", "check", "postrider"]),
  commands: ["accounts create", "keys create", "config", "demo"],
  variables: new Set(["PORT", "ROLES", "DATABASE_URL", "REQUIRE_BROWSER"]),
};

function faultsIn(text: string, path = "README.md"): string[] {
  return findDocFaults({ path, text }, world);
}

function block(language: string, ...lines: string[]): string {
  return ["```" + language, ...lines, "```"].join("\n");
}

function cases(kind: string, texts: readonly string[], expected: (text: string) => void): void {
  for (const text of texts) it(`${kind}: ${JSON.stringify(text)}`, () => expected(text));
}

const accepts = (kind: string, texts: readonly string[]) =>
  cases(kind, texts, (text) => assert.deepEqual(faultsIn(text), []));

const refuses = (kind: string, message: RegExp, texts: readonly string[]) =>
  cases(kind, texts, (text) => {
    const [fault = "", ...others] = faultsIn(text);
    assert.match(fault, message);
    assert.deepEqual(others, []);
  });

describe("paths in documents", () => {
  accepts("there", [
    "`src/main.ts`, `./src/main.ts`, `src/`, `.ci/run`",
    "`campaigns/status.ts` is found under src/",
    "`src/*.ts` and `src/{main,cli}.ts` are globs",
    "`migrations/<number>_<name>.sql` and `src/…` hold placeholders",
    block("sh", "node src/main.ts"),
  ]);
  accepts("not a path of ours", [
    "src/gone.ts in plain words",
    "`https://mail.test/docs/gone`, `/docs/json` and `application/json`",
    "`/usr/src/gone.ts`",
  ]);
  refuses("missing", /^README\.md:1 names \S+, which is not there$/, [
    "`src/gone.ts`",
    "see ``src/gone/``",
    "`campaigns/gone.ts`",
    "`GONE.md`",
    "`migrations/9999_gone.sql`",
    "`src/gone/<name>.ts`",
    "`src/**/*.gone.ts`",
  ]);
  refuses("missing in a block", /^README\.md:3 names tools\/gone\.ts/, [
    block("sh", "npm start", "node tools/gone.ts"),
    block("ts", "", 'import "tools/gone.ts";'),
  ]);
});

describe("drawn trees in documents", () => {
  const tree = (...rows: string[]) =>
    block(
      "",
      "README.md   one page",
      "src/",
      "  main.ts     starts",
      "  campaigns/  what people do",
      ...rows,
    );

  accepts("there", [
    tree("  roles/  api.ts   each a role"),
    tree("    status.ts  rules"),
    block("", "src/", "├── main.ts", "└── campaigns/", "    └── status.ts"),
    block("", "other/", "  gone.ts"),
  ]);
  refuses("missing", /^README\.md:6 draws src\/\S*gone\S*, which is not there$/, [
    tree("  gone/  was here"),
    tree("  roles/  gone.ts"),
    tree("    gone.ts  was here"),
    tree("  └── gone.ts"),
  ]);
});

describe("links in documents", () => {
  accepts("there", [
    "[guide](docs/guide.md), [steps](docs/guide.md#first-steps), [folder](docs/)",
    '[main](/src/main.ts#L3), [titled](docs/guide.md "Guide"), [web](https://example.com/gone)',
    "[start](#start) [again](#start-1) [mail](mailto:a@example.com)",
    "`[no link](gone.html)`",
  ]);
  refuses("missing", /^README\.md:1 links to \S+, which is not there$/, [
    "[guide](docs/gone.md)",
    "![picture](docs/gone.png)",
    "[up](../elsewhere.md)",
    '<img alt="x" src="docs/gone.png">',
    "[`code`](gone.ts)",
    "[ref]: docs/gone.md",
  ]);
  refuses("no such heading", /no such heading$/, ["[start](#gone)", "[steps](docs/guide.md#second-steps)"]);

  it("resolves a link from the document's own folder", () => {
    assert.deepEqual(faultsIn("[home](../README.md) [self](guide.md)", "docs/guide.md"), []);
    assert.equal(faultsIn("[home](README.md)", "docs/guide.md").length, 1);
  });
});

describe("npm scripts in documents", () => {
  accepts("there", [
    "`npm ci && npm test`, `npm start`, `npm run check`",
    "`npm run -s check`, `npm test -- --only x`, `npm run <name>`",
  ]);
  refuses("missing", /^README\.md:1 says npm.* (gone|restart), a script package\.json lacks$/, [
    "`npm run gone`",
    "`npm run --silent gone -- --json`",
    "`npm ci && npm run gone`",
    "`npm restart`",
  ]);
});

describe("postrider commands in documents", () => {
  accepts("there", [
    "`postrider keys create --name x`, `npm run postrider -- config`, `postrider`, `postrider --help`",
    "`postrider demo quickly` takes an argument; `postrider <command>` is a placeholder",
    block("sh", "KEY=$(npm run -s postrider -- keys create)", 'curl "$KEY"'),
    block("sh", "createdb postrider template", "cd postrider && npm ci", "sudo -u postrider npm start"),
    block("json", "postrider gone"),
  ]);
  refuses("missing", /says postrider (gone|keys burn|keys), a command the command line lacks$/, [
    "`postrider gone`",
    "`npm run postrider -- keys burn acc_1`",
    "`postrider keys`",
    "`node src/main.ts; postrider gone`",
    block("console", "$ postrider gone --now"),
    block("sh", "PORT=1 npx postrider gone"),
    block("sh", "docker compose exec app postrider gone"),
  ]);
});

describe("settings in documents", () => {
  accepts("there", [
    "`PORT`, `PORT=4000`, `DATABASE_URL`, `$DATABASE_URL`, `REQUIRE_BROWSER=1 npm test`",
    block("sh", "ROLES=api,public PORT=1 npm start"),
    block("yaml", "environment:", "  PORT: 4000", "  - ROLES=api"),
  ]);
  accepts("not a setting", [
    "`HEAD`, `COPY`, `SELECT 1`, `POST /v1/lists`, `SMTP`, `RFC 5321`, `MAIL FROM:<a@b.c> SIZE=100`",
    "GONE_SETTING in plain words",
    "`data/SOME_FILE.txt` and `SOME_CALL()`",
    block("sql", "select * from A_TABLE where B_C=1"),
    block("sh", "LIST_ID=lst_1", 'curl "localhost:4000/v1/lists/$LIST_ID"'),
  ]);
  refuses("unknown", /names (GONE|GONE_SETTING), which is no setting$/, [
    "`GONE_SETTING`",
    "`GONE_SETTING=1`",
    "`GONE=1 npm start`",
    "`PORT=1 GONE=1 npm start`",
    block("sh", "export GONE=1"),
    block("sh", "docker run -e GONE=1 image"),
    block("sh", 'psql "$GONE_SETTING"'),
    block("env", "GONE=1"),
    block("ini", "Environment=GONE=1"),
    block("yaml", "env:", "  GONE_SETTING: 1"),
  ]);
});

describe("reading Markdown", () => {
  it("makes the anchors GitHub makes", () => {
    const text =
      "# Set up `npm`, then *go*!\n## A & B\n## Same\n## Same ##\n```sh\n# no heading\n```\n<a id='mark'></a>";
    assert.deepEqual(
      [...readMarkdown(text).anchors],
      ["set-up-npm-then-go", "a--b", "same", "same-1", "mark"],
    );
  });

  it("lets a stray backtick end with its paragraph", () => {
    assert.deepEqual(readMarkdown("a ` b\n\n`c` d").code, [{ text: "c", line: 3, language: null }]);
  });

  it("sorts faults by line", () => {
    assert.deepEqual(
      faultsIn("`npm run gone`\n\n[x](gone.md)\n`src/gone.ts`").map((fault) => fault.slice(0, 11)),
      ["README.md:1", "README.md:3", "README.md:4"],
    );
  });
});
