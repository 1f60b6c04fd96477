import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { english } from "../../src/public-pages/locales/locales.ts";
import {
  archivedMailPage,
  archivePage,
  askForAddress,
  askForData,
  askToDelete,
  askToMove,
  askToUnsubscribe,
  atomFeed,
  type ConfirmPage,
  closedForm,
  confirmPage,
  deleted,
  fillText,
  gone,
  linkExpired,
  linkMailed,
  mailDocument,
  moved,
  newAddressMailed,
  notFound,
  nothingKept,
  notInArchive,
  type PublicPage,
  plainName,
  preferencesPage,
  recorded,
  rssFeed,
  type Sender,
  signedUpPage,
  signUpPage,
  testMail,
  tooMany,
  type Unsubscribed,
  unavailable,
  unsubscribed,
  type Words,
} from "../../src/public-pages/public-pages.ts";

/** Each would run `hacked()` if it were taken for markup anywhere, or turn the words after it around. */
export const HOSTILE = [
  `</title><script>hacked()</script>`,
  `"><img src=x onerror=hacked()><svg onload='hacked()'>`,
  `\u202Eevil\u2066 </bdi></style><style>*{display:none}</style>`,
  `${"W".repeat(300)}`,
  "نشرة الكتب الأسبوعية من المكتبة",
  "",
  "\u200B\u00A0\u202E",
  `Z${"\u0301\u0327\u0338".repeat(90)} \uD800 \u0000 \uFFFF {list} $& \${1}`,
] as const;

export const sender: Sender = {
  name: "Fernhill Books",
  postalAddress: "14 Bondgate, Otley LS21 3AB",
  branding: { colour: "#1f3a5f", logoUrl: null },
};

const address = "priya.nair@posteo.example";
const SENT_AT = new Date("2026-11-13T09:00:00Z");
/** What the program's server puts on every answer; a page's own headers replace them by name. */
const SERVER_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
};

/** A sandboxed mail shares no origin with us, so an image of ours reaches it only when anybody may embed it. */
const IMAGE_HEADERS = {
  ...SERVER_HEADERS,
  "content-type": "image/png",
  "cross-origin-resource-policy": "cross-origin",
};

/** A mail whose author would like to run something, send something, and load something. */
const authorsMail = (text: string) => `<!doctype html><html lang="en"><head><title></title>
<meta http-equiv="refresh" content="0;url=/refreshed"><base href="https://elsewhere.example/">
<link rel="stylesheet" href="/sheet.css"><style>body{font:16px/1.5 Georgia,serif;max-width:560px;margin:24px auto;padding:0 16px;overflow-wrap:anywhere}</style></head>
<body><main><h1>The weekly letter</h1><p>${text.replaceAll("<", "&lt;")}</p><script>hacked()</script><img src="/pixel.png" alt="A shelf" width="40" height="40" onload="hacked()">
<form action="/posted"><button>Answer</button></form><p><a href="/outside">Read on</a></p></main></body></html>`;

/** Every page and state, by path, in English unless told otherwise, with `name` in the place of each name that somebody chose. */
export function allPages(
  name?: string,
  from: Sender = sender,
  words: Words = english,
): ReadonlyMap<string, PublicPage> {
  const named = (usual: string) => name ?? usual;
  const who: Sender = { ...from, name: named(from.name), postalAddress: named(from.postalAddress ?? "") };
  const listName = named("The weekly letter");
  const archive = {
    words,
    sender: who,
    listName,
    isIndexable: false,
    timeZone: "Europe/London",
    rssPath: "/feed.xml",
    atomPath: "/atom.xml",
  };
  const mails = ["What we read in October", "Four evenings in November", "A shelf of small presses"].map(
    (subject, at) => ({
      path: `/item`,
      id: `urn:uuid:01890a5d-ac96-774b-bcce-b302099a805${at}`,
      url: `https://news.example.com/archive/letter/${at}`,
      subject: named(subject),
      summary: at === 1 ? null : named("Novels for long evenings, and one about a lighthouse"),
      sentAt: new Date(SENT_AT.getTime() - at * 7 * 86_400_000),
    }),
  );
  const feed = {
    words,
    id: "urn:uuid:01890a5d-ac96-774b-bcce-b302099a8060",
    senderName: who.name,
    listName,
    archiveUrl: "https://news.example.com/archive/letter",
    mails,
    createdAt: new Date("2026-01-01T00:00:00Z"),
    isIndexable: false,
  };
  const topicName = named("Small presses");
  const ended = (state: Unsubscribed["state"], ofTopic: string | null = null) =>
    unsubscribed({
      words,
      state,
      sender: who,
      listName: state === "list_deleted" ? null : listName,
      topicName: ofTopic,
      address: state === "nobody" ? null : address,
      undoPath: "/undo",
      unsubscribePath: "/posted",
    });
  const ask = { words, sender: who, listName, topicName: null, address, unsubscribePath: "/posted" };
  const otherLists = [
    { id: "lst_1", name: named("Events near you") },
    { id: "lst_2", name: named("Poetry club") },
  ];
  const form = {
    words,
    sender: who,
    title: plainName(named("One letter a week, from the shop floor"), words.form.title),
    intro: named(
      "What we are reading, what came in, and one thing to avoid. 485,000 readers; leave with one click.",
    ),
    fields: [
      { name: "email", label: words.form.labels.email, type: "email" as const, isRequired: true },
      {
        name: "first_name",
        label: plainName(named("First name"), "First name"),
        type: "text" as const,
        isRequired: false,
      },
    ].map((field) => ({ ...field, maxLength: 200, autocomplete: "off" })),
    consent: plainName(named("Send me the weekly letter. I can stop it at any time."), "Yes"),
    tracking: plainName(named("You may record what I read."), "Yes"),
    button: plainName(named("Sign up"), "Sign up"),
    note: named("You will get one mail that asks whether it was really you. We don’t pass your address on."),
    privacyUrl: "https://fernhill.example/privacy",
    action: "/posted",
    shown: "shown",
    returned: null,
    scriptPath: null,
    redirectUrl: null,
  };
  const returned = {
    values: new Map([
      ["email", named("priya.nair@posteo")],
      ["first_name", named("Priya")],
    ]),
    faults: new Map([
      ["email", fillText(words.form.faults.noTop, { domain: named("posteo") })],
      ["agree-to-mail", words.form.faults.agree],
    ]),
    kept: null,
  };
  const prefs = {
    words,
    sender: who,
    address,
    topics: [
      ["top_1", "The weekly letter", "Fridays, from the booksellers", true],
      ["top_2", "Events near you", "Readings and evenings around Otley", true],
      ["top_3", "Poetry club", "Once a month", false],
      ["top_4", "Sales and offers", "Now and then", false],
    ].map(([id, title, description, isOn]) => ({
      id: String(id),
      name: named(String(title)),
      description: named(String(description)),
      isOn: isOn === true,
    })),
    lists: [],
    hasLeftAll: false,
    pausedUntil: null,
    isTracked: true,
    timeZone: "Europe/London",
    isSaved: true,
    path: "/posted",
  };
  const asking = { words, sender: who, address, path: "/posted" };
  const newAddress = "nair@fastmail.example";
  const confirming = (state: ConfirmPage["state"]) =>
    confirmPage({
      words,
      state,
      sender: who,
      listName: state === "list_deleted" ? null : listName,
      address: state === "list_deleted" ? null : address,
      agreesToTracking: true,
      confirmPath: "/posted",
      afterUrl: null,
    });
  return new Map([
    ["/preferences", preferencesPage(prefs)],
    [
      "/preferences-lists",
      preferencesPage({
        ...prefs,
        isSaved: false,
        hasLeftAll: true,
        isTracked: false,
        pausedUntil: new Date("2027-01-12T12:00:00Z"),
        lists: otherLists.map((list, at) => ({ ...list, isOn: at === 0, isWaiting: at === 0 })),
      }),
    ],
    ["/preferences-nothing", nothingKept({ words, sender: who })],
    ["/link-mailed", linkMailed({ words, sender: who })],
    ["/link-expired", linkExpired({ words, sender: who })],
    ["/my-data", askForData(asking)],
    ["/delete-me", askToDelete(asking)],
    ["/deleted", deleted({ words, sender: who })],
    ["/new-address", askForAddress({ ...asking, wrong: null })],
    ["/new-address-wrong", askForAddress({ ...asking, wrong: named("nobody at all") })],
    ["/new-address-mailed", newAddressMailed({ words, sender: who, address: newAddress })],
    ["/move-here", askToMove({ words, sender: who, from: address, to: newAddress, path: "/posted" })],
    ["/moved", moved({ words, sender: who, to: newAddress })],
    ["/confirm", confirming("ask")],
    ["/confirmed", confirming("confirmed")],
    ["/confirm-suppressed", confirming("suppressed")],
    ["/confirm-list-deleted", confirming("list_deleted")],
    ["/ask", askToUnsubscribe({ ...ask, otherLists: [] })],
    ["/ask-lists", askToUnsubscribe({ ...ask, address: null, otherLists })],
    ["/ask-topic", askToUnsubscribe({ ...ask, topicName, otherLists: [] })],
    ["/list", ended("list")],
    ["/topic", ended("list", topicName)],
    ["/topic-already", ended("already", topicName)],
    ["/topic-undone", ended("undone", topicName)],
    ["/everything", ended("everything")],
    ["/already", ended("already")],
    ["/undone", ended("undone")],
    ["/nobody", ended("nobody")],
    ["/list-deleted", ended("list_deleted")],
    ["/test", testMail({ words, sender: who })],
    ["/not-found", notFound(words)],
    ["/not-in-archive", notInArchive(words)],
    ["/gone", gone({ words, sender: who })],
    ["/too-many", tooMany({ words, retryAfterSeconds: 42, retryPath: "/ask" })],
    ["/recorded", recorded(words)],
    [
      "/unavailable",
      unavailable({ words, retryAfterSeconds: 30, unsubscribePath: "/posted", retryPath: "/ask" }),
    ],
    [
      "/archive",
      archivePage({ ...archive, mails, newerPath: "/archive", olderPath: "/archive", subscribePath: "/ask" }),
    ],
    [
      "/archive-empty",
      archivePage({ ...archive, mails: [], newerPath: null, olderPath: null, subscribePath: null }),
    ],
    [
      "/item",
      archivedMailPage({
        ...archive,
        subject: named("What we read in October"),
        sentAt: SENT_AT,
        documentPath: "/framed",
        archivePath: "/archive",
        newerPath: null,
        olderPath: "/item",
      }),
    ],
    [
      "/framed",
      mailDocument({
        words,
        html: authorsMail(listName),
        subject: listName,
        isFramed: true,
        isIndexable: false,
      }),
    ],
    [
      "/view",
      mailDocument({
        words,
        html: authorsMail(listName),
        subject: listName,
        isFramed: false,
        isIndexable: false,
      }),
    ],
    ["/form", signUpPage(form)],
    ["/form-returned", signUpPage({ ...form, returned })],
    [
      "/form-done",
      signedUpPage({ words, sender: who, ...words.form.done, text: words.form.done.textConfirm }),
    ],
    ["/form-closed", closedForm({ words, sender: who })],
    ["/feed.xml", rssFeed({ ...feed, feedUrl: "https://news.example.com/archive/letter/feed.xml" })],
    ["/atom.xml", atomFeed({ ...feed, feedUrl: "https://news.example.com/archive/letter/atom.xml" })],
  ]);
}

export type PageServer = { readonly url: string; readonly asked: string[]; stop(): Promise<void> };

/** Serves pages by path, and writes down what else was asked for. POST /posted and the like answer with the request's body. */
export async function servePages(pages: () => ReadonlyMap<string, PublicPage>): Promise<PageServer> {
  const asked: string[] = [];
  const server: Server = createServer(async (request, reply) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const page = request.method === "GET" ? pages().get(path) : undefined;
    if (page) return void reply.writeHead(page.status, { ...SERVER_HEADERS, ...page.headers }).end(page.body);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    asked.push(`${request.method} ${path} ${body}`.trim());
    if (path === "/pixel.png" || path === "/logo.png")
      return void reply.writeHead(200, IMAGE_HEADERS).end(PIXEL);
    reply.writeHead(path === "/favicon.ico" ? 204 : 200, { ...SERVER_HEADERS, "content-type": "text/plain" });
    reply.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
