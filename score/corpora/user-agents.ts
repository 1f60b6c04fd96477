/** How machines are told from people by their user agents, against lists of crawlers and of people's programs. */
import { readFileSync } from "node:fs";
import { browsers } from "../../src/tracking/machines/browsers.fixture.ts";
import { type Judgement, judgeHit } from "../../src/tracking/machines/machines.ts";
import { mailClients } from "../../src/tracking/machines/mail-clients.fixture.ts";
import { percentFigure, type Score, type Scorer } from "../figures.ts";

export const userAgentScorer: Scorer = {
  name: "user-agents",
  summary: "crawlers told as machines, mail clients and browsers told as people",
  needs: "user-agents/crawlers.json",
  score: scoreUserAgents,
};

/** They fetch when a person opens a mail, and so they are no machines to us. */
const imageProxies = /GoogleImageProxy|YahooMailProxy/;

function scoreUserAgents(path: string): Score {
  const crawlers: { readonly pattern: string; readonly instances?: readonly string[] }[] = JSON.parse(
    readFileSync(path, "utf8"),
  );
  const machines = crawlers
    .filter(({ pattern }) => !imageProxies.test(pattern))
    .flatMap(({ instances }) => instances ?? []);
  // Nothing but the user agent may tell: as an open, and late enough that no time does.
  const missed = machines.filter((userAgent) => !judge("open", userAgent).machine);
  const people = { mail_clients: listAgents(mailClients), browsers: listAgents(browsers) };
  const reasons = Map.groupBy(machines, (userAgent) => {
    const judgement = judge("open", userAgent);
    return judgement.machine ? judgement.reason : "told as people";
  });
  return {
    figures: [
      percentFigure("user-agents.crawlers", machines.length - missed.length, machines.length, 95),
      ...Object.entries(people).map(([name, all]) => {
        const leftAlone = all.filter((userAgent) => !isTaken(userAgent)).length;
        return percentFigure(`user-agents.${name}_left_alone`, leftAlone, all.length, 100);
      }),
    ],
    details: [
      `${machines.length} user agents of crawlers, ${people.mail_clients.length} of mail clients, ${people.browsers.length} of browsers`,
      ...[...reasons].map(([reason, found]) => `${reason}: ${found.length}`).sort(),
      ...missed.map((userAgent) => `told as a person: ${userAgent}`),
      ...Object.values(people)
        .flat()
        .filter(isTaken)
        .map((userAgent) => `told as a machine: ${userAgent}`),
    ],
  };
}

function listAgents(sources: readonly { readonly userAgents: readonly string[] }[]): string[] {
  return sources.flatMap(({ userAgents }) => userAgents);
}

function isTaken(userAgent: string): boolean {
  return judge("open", userAgent).machine || judge("click", userAgent).machine;
}

function judge(kind: "open" | "click", userAgent: string): Judgement {
  return judgeHit({
    kind,
    method: "GET",
    userAgent,
    headers: {},
    address: null,
    sinceAcceptedMs: null,
    link: kind === "click" ? 1 : null,
    at: 0,
    network: "",
    userAgentHash: "",
    recent: [],
    honeypotLink: null,
  });
}
