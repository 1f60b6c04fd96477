/** A browser that tells whatever a payload could do: run, ask another host, lead away, open a window, or change what a page is made of. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, Frame, Page, Request } from "playwright-core";
import { PATIENCE_MS } from "./browser.ts";
import { BEACON, CALL } from "./xss-payloads.ts";

export type XssWatch = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What happened that must not. */
  readonly found: string[];
  /** The same by the pages that were looked at, with what they are made of and must not be. */
  readonly problems: string[];
  /** The numbers of the payloads that were seen as text, on all pages together. */
  readonly shown: ReadonlySet<number>;
  /** Looks at the page as it is now; on most pages some payload must be seen, or nothing was tried there. */
  look(name: string, expects?: "payloads" | "nothing"): Promise<void>;
};

/** These answer with what an author wrote, alone in a window; its pictures may be asked for, and nothing else. */
const AUTHORS_PAGES = /^\/(v\/|archive\/[^/]+\/[^/]+\/mail)/;
const VIOLATED = "__violated";

export async function watchForXss(browser: Browser, baseUrl: string): Promise<XssWatch> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const found: string[] = [];
  const problems: string[] = [];
  const shown = new Set<number>();
  const page = await context.newPage();
  await context.exposeBinding(CALL, ({ frame }, number) => {
    found.push(`payload ${number} ran in ${frame.url()}`);
  });
  await context.exposeBinding(VIOLATED, ({ frame }, what) => {
    if (isOurs(frame)) found.push(`the policy refused ${what} in ${frame.url()}`);
  });
  await context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    window.${VIOLATED}?.(event.violatedDirective + " " + event.blockedURI + " " + event.sample))`);
  await context.route(
    (url) => url.hostname === BEACON,
    (route) => {
      const request = route.request();
      if (!isPictureOfAuthor(request)) found.push(`asked ${request.url()} as ${request.resourceType()}`);
      return route.abort();
    },
  );
  context.on("page", (other) => found.push(`opened a window at ${other.url()}`));
  page.on("dialog", (dialog) => {
    // A page that holds what was typed asks before it is left.
    if (dialog.type() === "beforeunload") return void dialog.accept();
    found.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("framenavigated", (frame) => {
    const isAway = frame === page.mainFrame() && !/^(about:blank|chrome-error:)/.test(frame.url());
    if (isAway && new URL(frame.url()).origin !== baseUrl) found.push(`went to ${frame.url()}`);
  });
  return {
    page,
    context,
    found,
    problems,
    shown,
    async look(name, expects = "payloads") {
      let looked = await page.evaluate<Looked>(LOOK);
      // On a crowded machine a page may rest between two requests before it shows what it has.
      const patientUntil = performance.now() + PATIENCE_MS;
      while (expects === "payloads" && looked.inMain === 0 && performance.now() < patientUntil) {
        await sleep(100);
        looked = await page.evaluate<Looked>(LOOK);
      }
      const { faults, seen, inMain } = looked;
      for (const number of seen) shown.add(number);
      for (const what of [...found.splice(0), ...faults]) problems.push(`${name}: ${what}`);
      if (expects === "payloads" && inMain === 0) problems.push(`${name}: shows no payload`);
    },
  };
}

type Looked = { readonly faults: string[]; readonly seen: number[]; readonly inMain: number };

/** Frames of ours hold what authors wrote; Chromium says there what it refused. */
function isOurs(frame: Frame): boolean {
  return frame.parentFrame() === null && !AUTHORS_PAGES.test(new URL(frame.url()).pathname);
}

function isPictureOfAuthor(request: Request): boolean {
  if (request.resourceType() !== "image" || request.isNavigationRequest()) return false;
  const { pathname } = new URL(request.frame().url());
  return AUTHORS_PAGES.test(pathname);
}

/**
 * Goes through all elements, those in shadow roots too, and reads the numbers of the payloads in texts and fields. The account's name
 * is beside every page, so whether the page itself has some is asked of its main part.
 */
const LOOK = `(() => {
  const faults = [];
  const PROTOCOLS = { href: ["http:", "https:", "mailto:"], src: ["http:", "https:", "data:", "blob:", "about:"] };
  const lookAt = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const say = (what) => faults.push(what + ": " + element.outerHTML.slice(0, 200));
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name)) say("a handler");
        if (name === "srcdoc") say("a document in an attribute");
        const kind = /^(src|data|poster)$/.test(name) ? "src" : /^(xlink:)?href$|^(form)?action$/.test(name) ? "href" : null;
        if (kind && URL.canParse(value, location) && !PROTOCOLS[kind].includes(new URL(value, location).protocol)) say("an address");
      }
      if (element.localName === "script" && !element.src.startsWith(location.origin + "/assets/")) say("a script");
      if (["base", "object", "embed"].includes(element.localName)) say("an element");
      if (element.localName === "meta" && /refresh/i.test(element.httpEquiv)) say("a refresh");
      if (element.localName === "iframe") {
        const allowed = element.getAttribute("sandbox");
        if (allowed === null || /allow-(scripts|same-origin|top-navigation|forms)/.test(allowed)) say("an open frame");
      }
      if (element.shadowRoot) lookAt(element.shadowRoot);
    }
  };
  lookAt(document);
  const numbersIn = (root) => {
    const texts = [root.textContent ?? ""];
    for (const element of root.querySelectorAll("*")) {
      for (const name of ["title", "alt", "placeholder", "aria-label"]) texts.push(element.getAttribute(name) ?? "");
      if ("value" in element) texts.push(String(element.value));
      if (element.shadowRoot) texts.push(element.shadowRoot.textContent ?? "");
    }
    return [...texts.join(" ").matchAll(/(?:__xss|\\\\u005f_xss)\\((\\d+)\\)/g)].map(([, number]) => Number(number));
  };
  return {
    faults: faults.slice(0, 5),
    seen: [...new Set(numbersIn(document.documentElement))],
    inMain: numbersIn(document.querySelector("main") ?? document.documentElement).length,
  };
})()`;
