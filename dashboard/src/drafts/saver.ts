/**
 * Saves a draft while it is typed: 800 ms after the last key, one request at a time, each with the ETag of the last answer.
 * It knows no React, because a save outlives a render.
 */
import { type ApiError, asApiError } from "../api/problem.ts";
import { type DraftFields, faultsOf, isSameValue } from "./draft-fields.ts";
import type { Answered, DraftState, Editable, Snapshot } from "./draft-state.ts";
import { forgetDraft, type KeptDraft, keepDraft } from "./kept-draft.ts";

export type SaverTools<T extends Editable, F extends keyof T & string> = {
  readonly fields: DraftFields<T, F>;
  readonly write: (patch: Partial<Pick<T, F>>, ifMatch: string | undefined) => Promise<Answered<T>>;
  readonly read: () => Promise<Answered<T>>;
  /** Whether it may still be changed. */
  readonly isEditable: (thing: T) => boolean;
  /** The code of the refusal that says that it may not. */
  readonly lockedCode?: string;
};

export type Saver<T extends Editable, F extends keyof T & string> = ReturnType<typeof createSaver<T, F>>;

const SAVE_AFTER_MS = 800;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;
const NO_FAULTS: Readonly<Record<string, string>> = {};

export function createSaver<T extends Editable, F extends keyof T & string>(
  found: Answered<T>,
  { fields: rules, write, read, isEditable, lockedCode }: SaverTools<T, F>,
) {
  type Draft = Pick<T, F>;
  const { draftOf, changedFields, pickFields, withCompanions, mergeDrafts } = rules;
  let base = found;
  let snapshot: Snapshot<T, F> = {
    body: found.body,
    draft: draftOf(found.body),
    state: isEditable(found.body) ? { kind: "saved" } : { kind: "locked" },
    faults: NO_FAULTS,
    taken: undefined,
  };
  /** Values that were refused; they aren't sent again until they change. */
  let refused: Partial<Draft> = {};
  let refusal: ApiError | undefined;
  let flight: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = FIRST_WAIT_MS;
  /** An editor tells what is typed only now and then. */
  let tellTyped = () => {};
  const listeners = new Set<() => void>();

  function show(next: Partial<Snapshot<T, F>>): void {
    snapshot = { ...snapshot, ...next };
    for (const listener of listeners) listener();
  }

  const unsavedFields = () => changedFields(draftOf(base.body), snapshot.draft);
  const isWaiting = () => snapshot.state.kind === "waiting";
  const isStopped = () => ["conflict", "locked", "deleted"].includes(snapshot.state.kind);
  const fieldsToSend = () =>
    unsavedFields().filter(
      (field) => !(field in refused && isSameValue(refused[field], snapshot.draft[field])),
    );

  function change(patch: Partial<Draft>): void {
    const draft = { ...snapshot.draft, ...patch };
    if (changedFields(snapshot.draft, draft).length === 0) return;
    const { state } = snapshot;
    show({ draft, state: state.kind === "saved" || state.kind === "refused" ? { kind: "unsaved" } : state });
    if (state.kind === "waiting" || state.kind === "conflict") keep();
    else plan(SAVE_AFTER_MS);
  }

  /** Copies what isn't saved into this browser. */
  function keep(): void {
    const fields = unsavedFields();
    const { etag, body } = base;
    if (fields.length === 0) forgetDraft(body.id);
    else
      keepDraft<Draft>(body.id, {
        etag,
        mine: pickFields(snapshot.draft, fields),
        base: pickFields(body, fields),
      });
  }

  function plan(afterMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void send(), afterMs);
  }

  /** Sends what is unsaved. What is typed meanwhile is sent 800 ms after the answer. */
  function send(): Promise<void> {
    clearTimeout(timer);
    flight ??= attempt().finally(() => {
      flight = undefined;
      if (isWaiting() || isStopped() || fieldsToSend().length === 0) return;
      show({ state: { kind: "unsaved" } });
      plan(SAVE_AFTER_MS);
    });
    return flight;
  }

  async function attempt(): Promise<void> {
    if (isStopped()) return;
    const fields = fieldsToSend();
    if (fields.length === 0) {
      settle();
      return;
    }
    show({ state: { kind: "saving" } });
    const { draft: sent } = snapshot;
    try {
      accept(await write(pickFields(sent, fields), base.etag));
    } catch (thrown) {
      if (await refuse(asApiError(thrown), sent, fields)) await attempt();
      return;
    }
    if (fieldsToSend().length === 0) settle();
  }

  /** Nothing is left to send: all is saved, but for what was refused. */
  function settle(): void {
    if (unsavedFields().length > 0 && refusal) {
      show({ state: { kind: "refused", error: refusal } });
      return;
    }
    refused = {};
    refusal = undefined;
    forgetDraft(base.body.id);
    show({ state: { kind: "saved" }, faults: NO_FAULTS });
  }

  function accept(saved: Answered<T>): void {
    base = saved;
    waitMs = FIRST_WAIT_MS;
    show({ body: saved.body });
  }

  /** Answers whether it shall be tried again at once. */
  async function refuse(error: ApiError, sent: Draft, fields: readonly F[]): Promise<boolean> {
    if (error.status === 412) return meet();
    if (error.status === 404) return stop({ kind: "deleted" });
    if (error.code === lockedCode) return lock();
    if (isPassing(error)) return waitFor(error);
    refusal = error;
    const named = withCompanions(error.faults.map(({ pointer }) => (pointer ?? "").split("/")[1] ?? ""));
    const held = fields.filter((field) => named.has(field));
    const out = held.length > 0 ? held : fields;
    refused = { ...refused, ...pickFields(sent, out) };
    show({ faults: faultsOf(error) });
    keep();
    // What was typed since it was sent isn't refused, and is sent after its pause.
    return out.every((field) => isSameValue(sent[field], snapshot.draft[field]));
  }

  function stop(state: DraftState<T, F>): false {
    show({ state });
    keep();
    return false;
  }

  async function lock(): Promise<false> {
    try {
      accept(await read());
    } catch {
      // That it is locked is known without it.
    }
    return stop({ kind: "locked" });
  }

  /** It was about to leave, and somebody took it back: what was typed is saved after all. */
  function unlock(): void {
    const isUnsaved = unsavedFields().length > 0;
    show({ state: { kind: isUnsaved ? "unsaved" : "saved" } });
    if (isUnsaved) plan(SAVE_AFTER_MS);
  }

  function waitFor(error: ApiError): false {
    show({ state: { kind: "waiting", error } });
    keep();
    plan(waitMs);
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
    return false;
  }

  /** Somebody else saved first. What only one of the two changed goes together. */
  async function meet(): Promise<boolean> {
    try {
      return takeIn(await read());
    } catch (thrown) {
      const error = asApiError(thrown);
      return error.status === 404 ? stop({ kind: "deleted" }) : waitFor(error);
    }
  }

  /** Answers whether what is mine can be saved on top of it. */
  function takeIn(theirs: Answered<T>): boolean {
    // What the editor has not told yet is mine too, and would else be overwritten by what is theirs.
    tellTyped();
    const { draft, contested } = mergeDrafts(draftOf(base.body), snapshot.draft, draftOf(theirs.body));
    if (!isEditable(theirs.body)) {
      show({ body: theirs.body });
      return stop({ kind: "locked" });
    }
    if (contested.length > 0) return stop({ kind: "conflict", theirs, contested });
    base = theirs;
    const taken = { by: theirs.body.updated_by, at: theirs.body.updated_at };
    show({ body: theirs.body, draft, taken });
    return true;
  }

  return {
    snapshot: () => snapshot,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change,
    keep,
    /** Names the call that makes an editor tell at once what was typed last. Returns the call that ends it. */
    heedTyping(tell: () => void): () => void {
      tellTyped = tell;
      return () => {
        if (tellTyped === tell) tellTyped = () => {};
      };
    },
    etag: () => base.etag,
    isUnsaved: () => unsavedFields().length > 0,

    /** Saves now. Answers whether everything that was typed is saved. */
    async save(): Promise<boolean> {
      refused = {};
      do await send();
      while (!isStopped() && !isWaiting() && fieldsToSend().length > 0);
      return unsavedFields().length === 0 && !isStopped();
    },

    /** Tries again where it waits for the service. */
    retry(): void {
      if (isWaiting()) void send();
    },

    /** What the service says that it is now, read at any time: older answers than ours say nothing. */
    hear(theirs: Answered<T>): void {
      if (flight) return;
      if (snapshot.state.kind === "locked" && isEditable(theirs.body)) unlock();
      if (isStopped()) return;
      const isNews = theirs.etag !== base.etag && theirs.body.updated_at > base.body.updated_at;
      if (isNews) {
        if (takeIn(theirs) && unsavedFields().length > 0) plan(SAVE_AFTER_MS);
        return;
      }
      if (theirs.etag !== base.etag) return;
      base = theirs;
      show({ body: theirs.body, ...(!isEditable(theirs.body) && { state: { kind: "locked" } }) });
    },
    hearOfDeletion: () => void (isStopped() || stop({ kind: "deleted" })),

    /** Ends a conflict with one of the two. What only one person changed stays in both cases. */
    choose(side: "mine" | "theirs"): Promise<void> {
      const { state, draft: mine } = snapshot;
      if (state.kind !== "conflict") return Promise.resolve();
      const theirs = draftOf(state.theirs.body);
      const merged = mergeDrafts(draftOf(base.body), mine, theirs);
      const draft =
        side === "mine" ? merged.draft : { ...merged.draft, ...pickFields(theirs, merged.contested) };
      base = state.theirs;
      show({ body: state.theirs.body, draft, state: { kind: "unsaved" }, taken: undefined });
      return send();
    },

    /** Goes on with what this browser kept, as if it had just been typed at the state that it was typed at. */
    resume(kept: KeptDraft<Draft>): Promise<void> {
      base = { etag: kept.etag, body: { ...base.body, ...kept.base } };
      show({ draft: { ...snapshot.draft, ...kept.mine }, state: { kind: "unsaved" } });
      return send();
    },

    /** Another request, such as that of a restored version, has changed the whole. */
    replace(saved: Answered<T>): void {
      accept(saved);
      show({ draft: draftOf(saved.body), taken: undefined });
      settle();
    },
    dismissTaken: () => show({ taken: undefined }),
    stop: () => clearTimeout(timer),
  };
}

/** Such an answer says nothing about the draft: the service is away, the session ended, or too much was asked in a minute. */
const isPassing = ({ status }: ApiError) => status === 0 || status === 401 || status === 429 || status >= 500;
