import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { HAM, startSpamd, startTcpServer, type TcpServer } from "../../../test/support/mail-tests.ts";
import { readSymbols } from "./rspamd.ts";
import { askRspamd, askSpamd, type SpamVerdict } from "./spam-filters.ts";
import { readAnswer } from "./spamd.ts";

const mail = Buffer.from("Subject: x\r\n\r\nx\r\n");
const QUICK = { timeoutMs: 300 };
const detailOf = (verdict: SpamVerdict) =>
  verdict.kind === "failed" ? verdict.detail : assert.fail("scored");

async function askAt(server: TcpServer, limits = { timeoutMs: 10_000 }): Promise<SpamVerdict> {
  try {
    return await askSpamd({ host: "127.0.0.1", port: server.port }, { mail }, limits);
  } finally {
    await server.close();
  }
}

test("spamd is sent the whole mail with its length, and its score and rules are read, the weightiest first", async () => {
  let request: Buffer = Buffer.alloc(0);
  const server = await startSpamd((asked) => {
    request = asked;
    return HAM;
  });
  const verdict = await askAt(server);
  assert.equal(
    request.toString("latin1"),
    `REPORT SPAMC/1.5\r\nContent-length: ${mail.length}\r\n\r\n${mail}`,
  );
  assert.deepEqual(verdict, {
    kind: "scored",
    score: 0.5,
    threshold: 5,
    rules: [
      { name: "HTML_SHORT", points: 0.7, description: "BODY: HTML is short" },
      { name: "SPF_PASS", points: -0.2, description: "SPF: sender matches SPF record" },
    ],
  });
});

test("a mail with the line that tests SpamAssassin, and with more against it, is scored", () => {
  const verdict = readAnswer(HAM.replace("False ; 0.5", "True ; 1004.2"));
  assert.equal(verdict.kind === "scored" ? verdict.score : verdict.detail, 1_004.2);
});

const LIES: readonly (readonly [name: string, answer: string, why: RegExp])[] = [
  ["nothing", "", /isn't spamd/],
  ["a web server", "HTTP/1.1 200 OK\r\n\r\n", /isn't spamd/],
  ["a refusal", "SPAMD/1.1 76 EX_PROTOCOL\r\n\r\n", /refused the mail: EX_PROTOCOL/],
  ["no score", "SPAMD/1.1 0 EX_OK\r\nContent-length: 0\r\n\r\n", /without a score/],
  ["a score in the body", "SPAMD/1.1 0 EX_OK\r\n\r\nSpam: False ; 0 / 5\r\n", /without a score/],
  ["spam below its threshold", HAM.replace("False", "True"), /contradicts/],
  ["a threshold of nothing", HAM.replace("False ; 0.5 / 5.0", "True ; 0.5 / 0"), /can't be one/],
  ["a score without bounds", HAM.replace("False ; 0.5", "True ; 999999"), /can't be one/],
  ["a score that is no number", HAM.replace("0.5 / 5.0", "NaN / 5.0"), /without a score/],
];
for (const [name, answer, why] of LIES)
  test(`a spamd that answers with ${name} has said nothing`, async () => {
    assert.match(detailOf(await askAt(await startSpamd(() => answer))), why);
  });

test("a spamd that hangs, sends without end, hangs up or isn't there has said nothing", async () => {
  assert.match(
    detailOf(await askAt(await startTcpServer(() => undefined), QUICK)),
    /didn't answer within 0\.3 s/,
  );
  const endless = await startTcpServer((socket) => {
    const more = () => {
      while (socket.writable && socket.write("x".repeat(65_536)));
    };
    socket.on("drain", more);
    more();
  });
  assert.match(detailOf(await askAt(endless)), /no end/);
  assert.match(
    detailOf(await askAt(await startTcpServer((socket) => socket.resetAndDestroy()))),
    /can't be reached|without an answer/,
  );
  const gone = await startTcpServer(() => undefined);
  await gone.close();
  assert.match(
    detailOf(await askSpamd({ host: "127.0.0.1", port: gone.port }, { mail }, QUICK)),
    /can't be reached \(ECONNREFUSED\)/,
  );
  const large = Buffer.alloc(3 * 1_024 * 1_024);
  assert.match(detailOf(await askSpamd({ host: "127.0.0.1", port: 1 }, { mail: large }, QUICK)), /too large/);
});

test("no answer of a filter makes reading it throw, and its words stay on their line", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const verdict of [readAnswer(text), readAnswer(`${HAM}${text}`), readSymbols(text)])
        for (const { description } of verdict.kind === "scored" ? verdict.rules : [])
          assert.doesNotMatch(description, /[\r\n\u202e]/);
    }),
  );
});

async function withRspamd(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  ask: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const question = { mail, ip: "192.0.2.1", helo: "mx.example", from: "a@example.org", to: "b@example.net" };

test("rspamd is told of the session, and its score and symbols are read", () =>
  withRspamd(
    (request, response) => {
      assert.equal(request.url, "/checkv2");
      assert.deepEqual(
        ["ip", "helo", "from", "rcpt"].map((name) => request.headers[name]),
        ["192.0.2.1", "mx.example", "a@example.org", "b@example.net"],
      );
      const symbols = {
        R_SPF_ALLOW: { name: "R_SPF_ALLOW", score: -0.2, description: "SPF\u202e verification" },
        MIME_TRACE: { name: "MIME_TRACE", score: 0 },
        broken: { score: "7" },
      };
      response.end(JSON.stringify({ score: 1.5, required_score: 15, symbols }));
    },
    async (url) => {
      assert.deepEqual(await askRspamd(url, question, { timeoutMs: 10_000 }), {
        kind: "scored",
        score: 1.5,
        threshold: 15,
        rules: [{ name: "R_SPF_ALLOW", points: -0.2, description: "SPF verification" }],
      });
    },
  ));

test("an rspamd that lies, redirects, fails, hangs or sends without end has said nothing", async () => {
  const cases: readonly (readonly [(response: ServerResponse) => void, RegExp])[] = [
    [(response) => response.end("{}"), /without a score/],
    [(response) => response.end("[[["), /without a score/],
    [(response) => response.end('{"score":1e308,"required_score":15}'), /can't be one/],
    [(response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), /can't be reached/],
    [(response) => response.writeHead(500).end("x"), /answered with 500/],
    [() => undefined, /didn't answer within 0\.3 s/],
    [(response) => response.end("x".repeat(300_000)), /no end/],
  ];
  for (const [answer, why] of cases)
    await withRspamd(
      (_request, response) => answer(response),
      async (url) => assert.match(detailOf(await askRspamd(url, question, QUICK)), why),
    );
});
