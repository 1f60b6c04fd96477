/**
 * The plainest reading of what an automation does with people, one after another, in memory: it knows no SQL, no batches, no locks. It shares with the
 * engine only what a step means for somebody at a moment (`decide`), and the reading of JSON.
 */
import type { Exit, Graph, Node, Trigger } from "../../../src/automations/graph-types.ts";
import { dateFieldOf, decide, reasonOf, rulesOf, shareOf } from "../../../src/automations/steps/steps.ts";
import type { Rule } from "../../../src/subscribers/subscribers.ts";

export type Person = {
  readonly id: string;
  readonly zone: string;
  readonly date: string | null;
  tags: Set<string>;
  firstName: string | null;
  isActive: boolean;
};

export type Version = {
  readonly number: number;
  readonly graph: Graph;
  readonly follows: boolean;
  readonly keepsWaits: boolean;
  readonly mapping: Readonly<Record<string, string>>;
};

export type Visit = {
  readonly visit: number;
  readonly version: number;
  readonly node: string;
  readonly way: string | null;
  readonly reason: string;
  readonly arrivedAt: Date;
  readonly leftAt: Date;
  readonly isMailed: boolean;
};

export type Run = {
  readonly person: Person;
  readonly enteredAt: Date;
  version: number;
  node: string;
  visit: number;
  arrivedAt: Date;
  dueAt: Date;
  wokenBy: "arrival" | "time" | "event";
  state: "active" | "completed" | "exited";
  endedAs: string | null;
  endedAt: Date | null;
  readonly journal: Visit[];
};

/** Something of the log, as far as automations are told of it. */
export type Told = { readonly person: Person; readonly at: Date } & (
  | { readonly kind: "event"; readonly name: string }
  | { readonly kind: "joined" | "email_clicked" | "other" }
  | { readonly kind: "tag_added"; readonly tag: string }
);

type Place = { version: number; node: string; wait: { version: number; node: string } };

const DAY_MS = 24 * 3_600_000;

export function createInterpreter(automation: { id: string; startsAt: Date; first: Version }) {
  const versions: Version[] = [automation.first];
  const runs: Run[] = [];
  const entered = new Map<Person, Date>();
  let isPaused = false;

  const versionOf = (number: number) => versions.find((one) => one.number === number) as Version;
  const newest = () => versions.at(-1) as Version;
  const active = () => runs.filter(({ state }) => state === "active");

  /** Where somebody stands who follows what was published since they came to their step. */
  function placeOf(run: Pick<Run, "version" | "node">, chain: readonly Version[] = versions): Place {
    const place: Place = {
      version: run.version,
      node: run.node,
      wait: { version: run.version, node: run.node },
    };
    for (const { number, follows, keepsWaits, mapping, graph } of chain) {
      if (number <= run.version || !follows) continue;
      const node = mapping[place.node] ?? place.node;
      if (!graph.nodes.has(node)) continue;
      Object.assign(place, { version: number, node });
      if (!keepsWaits) place.wait = { version: number, node };
    }
    return place;
  }

  /** Returns the run that begins, if one does. */
  function enter(person: Person, at: Date): Run | undefined {
    const { reentry } = newest().graph.entry;
    const before = entered.get(person);
    if (!person.isActive || active().some((run) => run.person === person)) return undefined;
    if (before && reentry.mode === "once") return undefined;
    if (before && reentry.mode === "after" && before.getTime() > at.getTime() - reentry.days * DAY_MS)
      return undefined;
    entered.set(person, at);
    const { number: version, graph } = newest();
    const stands = {
      version,
      node: graph.start,
      visit: 1,
      arrivedAt: at,
      dueAt: at,
      wokenBy: "arrival",
    } as const;
    const run: Run = {
      person,
      enteredAt: at,
      ...stands,
      state: "active",
      endedAs: null,
      endedAt: null,
      journal: [],
    };
    runs.push(run);
    return run;
  }

  function write(run: Run, way: string | null, reason: string, leftAt: Date, isMailed = false): void {
    const { visit, version, node, arrivedAt } = run;
    run.journal.push({ visit, version, node, way, reason, arrivedAt, leftAt, isMailed });
  }

  function end(run: Run, state: "completed" | "exited", as: string, at: Date): void {
    Object.assign(run, { state, endedAs: as, endedAt: at });
  }

  /** Ends a run by what happened, where its row says that it stands. */
  function leadOut(run: Run, as: string, at: Date): void {
    if (run.enteredAt > at) return;
    const endedAt = at > run.arrivedAt ? at : run.arrivedAt;
    write(run, null, "exit", endedAt);
    end(run, "exited", as, endedAt);
  }

  function wake(run: Run, at: Date): void {
    const isTooLate = run.wokenBy !== "arrival" && run.dueAt < at;
    if (run.wokenBy === "event" || run.arrivedAt > at || isTooLate) return;
    Object.assign(run, { dueAt: at, wokenBy: "event" });
  }

  function hear(told: Told): void {
    const isEntry = newest().graph.entry.on.some((trigger) => isIt(trigger, told));
    if (told.at < automation.startsAt) return;
    const begun = isEntry ? enter(told.person, told.at) : undefined;
    // What let somebody in neither wakes nor ends the run that it began.
    for (const run of active().filter((one) => one.person === told.person && one !== begun)) {
      const place = placeOf(run);
      const { graph } = versionOf(place.version);
      const node = graph.nodes.get(place.node);
      if (node?.type === "wait_for" && node.on.some((trigger) => isIt(trigger, told))) wake(run, told.at);
      const exit = graph.exit.find((one) => "on" in one && isIt(one.on, told));
      if (exit) leadOut(run, exit.as, told.at);
    }
  }

  function judge(person: Person, now: Date): void {
    for (const run of active().filter((one) => one.person === person)) {
      const place = placeOf(run);
      const { graph } = versionOf(place.version);
      const node = graph.nodes.get(place.node);
      const as = exitByRule(graph, person);
      if (as) leadOut(run, as, now);
      else if (node?.type === "wait_for" && node.rule && matches(node.rule, person)) wake(run, now);
    }
  }

  function look(run: Run, now: Date, knownUntil: Date): void {
    let place = placeOf(run);
    for (;;) {
      const { graph } = versionOf(place.version);
      const node = graph.nodes.get(place.node) as Node;
      const as = exitByRule(graph, run.person);
      const decision = as ? undefined : decideAt(run, place, knownUntil);
      if (decision?.kind === "stay") {
        Object.assign(run, { dueAt: decision.until, wokenBy: "time" });
        return;
      }
      Object.assign(run, { version: place.version, node: place.node });
      if (as || !decision) {
        write(run, null, "exit", now);
        end(run, "exited", as ?? "", now);
        return;
      }
      change(run.person, node);
      const isMailed = node.type === "email";
      if (decision.kind === "end") {
        write(run, null, "end", now, isMailed);
        end(run, decision.as === "completed" ? "completed" : "exited", decision.as, now);
        return;
      }
      write(run, decision.way, reasonOf(node, run, decision.way), now, isMailed);
      moveTo(run, decision.to, now);
      place = { version: run.version, node: run.node, wait: { version: run.version, node: run.node } };
    }
  }

  function moveTo(run: Run, node: string, at: Date): void {
    Object.assign(run, { node, visit: run.visit + 1, arrivedAt: at, dueAt: at, wokenBy: "arrival" });
  }

  /** Whoever waits by a wait of an earlier version leaves when that is over, by a way of the step at which they stand. */
  function decideAt(run: Run, place: Place, knownUntil: Date) {
    const at = run.arrivedAt > knownUntil ? run.arrivedAt : knownUntil;
    const ask = (version: number, name: string, standing: Pick<Run, "arrivedAt" | "wokenBy">) => {
      const { graph } = versionOf(version);
      const node = graph.nodes.get(name) as Node;
      const { person } = run;
      const share = shareOf(automation.id, place.node, person.id);
      const date = dateFieldOf(node) === undefined ? null : person.date;
      const facts = {
        zone: person.zone,
        date,
        share,
        matches: rulesOf(node).map((rule) => matches(rule, person)),
      };
      return decide(node, standing, facts, graph.send, at);
    };
    const isOwn = place.wait.version === place.version && place.wait.node === place.node;
    if (isOwn || run.wokenBy === "event") return ask(place.version, place.node, run);
    const former = ask(place.wait.version, place.wait.node, run);
    if (former.kind === "stay") return former;
    const node = versionOf(place.version).graph.nodes.get(place.node) as Node;
    if (node.type === "wait") return { kind: "go", way: "next", to: node.next } as const;
    if (node.type === "wait_for")
      return node.rule && matches(node.rule, run.person)
        ? ({ kind: "go", way: "then", to: node.then } as const)
        : ({ kind: "go", way: "else", to: node.else } as const);
    return ask(place.version, place.node, { arrivedAt: at, wokenBy: "arrival" });
  }

  /** Leaves out the mails that somebody would get at once. */
  function skip(run: Run, at: Date): void {
    const place = placeOf(run);
    const { graph } = versionOf(place.version);
    const path: { way: string; reason: string; to: string }[] = [];
    const seen = new Set<string>();
    for (let name = place.node; !seen.has(name); name = path.at(-1)?.to ?? name) {
      seen.add(name);
      const node = graph.nodes.get(name) as Node;
      const isOver = path.length === 0 && run.wokenBy !== "arrival";
      if (node.type === "email") path.push({ way: "next", reason: "skipped", to: node.next });
      else if (isOver && node.type === "wait") path.push({ way: "next", reason: "waited", to: node.next });
      else if (isOver && node.type === "wait_for" && run.wokenBy === "event")
        path.push({ way: "then", reason: "happened", to: node.then });
      else if (isOver && node.type === "wait_for")
        path.push({ way: "else", reason: "timeout", to: node.else });
      else break;
    }
    if (!path.some(({ reason }) => reason === "skipped")) {
      run.dueAt = at;
      return;
    }
    run.version = place.version;
    for (const { way, reason, to } of path) {
      write(run, way, reason, at);
      moveTo(run, to, at);
    }
  }

  return {
    runs,
    newest,
    versions,
    isPaused: () => isPaused,
    /** Tells what is new in the log, and then judges by rules whom it was about. */
    feed(events: readonly Told[], now: Date): void {
      for (const told of events) hear(told);
      for (const person of new Set(
        events.filter(({ at }) => at >= automation.startsAt).map((one) => one.person),
      ))
        judge(person, now);
    },
    /** Leads on whoever is due, as far as everything that happened is known. */
    tick(now: Date, knownUntil: Date): void {
      if (isPaused) return;
      for (const run of active()) if (run.dueAt <= knownUntil) look(run, now, knownUntil);
    },
    /** How many stand where the version has no step for them. */
    strandedBy(next: Version): number {
      if (!next.follows) return 0;
      return active().filter((run) => {
        const { node } = placeOf(run);
        return !next.graph.nodes.has(next.mapping[node] ?? node);
      }).length;
    },
    publish(next: Version): void {
      versions.push(next);
    },
    /** Has those who came to these steps in an earlier version looked at anew. */
    recount(nodes: readonly string[], before: number, now: Date): void {
      if (isPaused) return;
      for (const run of active())
        if (nodes.includes(run.node) && run.version < before && run.dueAt > now)
          Object.assign(run, { dueAt: now, wokenBy: "arrival" });
    },
    pause(): void {
      isPaused = true;
    },
    /** The event for which somebody waits where they stand. */
    awaitedBy(person: Person): string | undefined {
      const run = active().find((one) => one.person === person);
      const place = run && placeOf(run);
      const node = place && versionOf(place.version).graph.nodes.get(place.node);
      const [first] = node?.type === "wait_for" ? node.on : [];
      return first?.type === "event" ? first.name : undefined;
    },
    overdue: (now: Date) => active().filter((run) => run.dueAt <= now),
    resume(choice: "run" | "skip" | undefined, now: Date): void {
      isPaused = false;
      const late = active().filter((run) => run.dueAt <= now);
      if (choice === "skip") for (const run of late) skip(run, new Date(now.getTime() + 1));
    },
    nextDue: () =>
      active()
        .map(({ dueAt }) => dueAt.getTime())
        .sort((one, other) => one - other),
  };
}

function change(person: Person, node: Node): void {
  if (node.type === "tag") {
    for (const tag of node.remove) if (!node.add.includes(tag)) person.tags.delete(tag);
    for (const tag of node.add) person.tags.add(tag);
  }
  if (node.type === "field") person.firstName = node.value as string | null;
  const isLed = node.type === "list" && node.action === "move";
  if (isLed || node.type === "unsubscribe") person.isActive = false;
}

function exitByRule(graph: Graph, person: Person): string | undefined {
  if (!person.isActive) return "unsubscribed";
  return graph.exit.find(
    (one): one is Extract<Exit, { rule: Rule }> => "rule" in one && matches(one.rule, person),
  )?.as;
}

/** Knows the rules that random graphs ask. */
function matches(rule: Rule, person: Person): boolean {
  const { field, value } = rule as unknown as { field: string; value: string };
  if (field === "tag") return person.tags.has(value);
  if (field === "first_name") return person.firstName === value;
  throw new Error(`a rule about ${field}`);
}

function isIt(trigger: Trigger, told: Told): boolean {
  if (trigger.type === "event") return told.kind === "event" && told.name === trigger.name;
  if (trigger.type === "tag_added") return told.kind === "tag_added" && told.tag === trigger.tag;
  if (trigger.type === "list_joined") return told.kind === "joined";
  return trigger.type === told.kind;
}
