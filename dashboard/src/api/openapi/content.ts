// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type MergeNames = { object: "merge_names"; variables: readonly ({ name: string; label: string | null; type: "text" | "number" | "date" | "boolean" | "url" | "list"; value: string | null })[]; tags: readonly ({ name: string; end: string | null })[]; filters: readonly (string)[] };

export type BlocksStyle = { width?: number; font?: "sans" | "serif" | "mono" | "arial" | "georgia" | "tahoma" | "trebuchet" | "verdana"; heading_font?: "sans" | "serif" | "mono" | "arial" | "georgia" | "tahoma" | "trebuchet" | "verdana"; font_size?: number; background?: string; content_background?: string; text_colour?: string; heading_colour?: string; link_colour?: string; button_background?: string; button_colour?: string; button_radius?: number };

export type BlocksDocument = { version: 1; language?: string; direction?: "ltr" | "rtl"; style?: BlocksStyle; blocks: readonly ({ id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "heading"; level: number; align?: "left" | "center" | "right"; content: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "text"; align?: "left" | "center" | "right"; content: readonly ({ type: "paragraph"; align?: "left" | "center" | "right"; content: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[] } | { type: "list"; ordered?: boolean; items: readonly ({ content: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; level?: number })[] })[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "image"; src: string; alt: string | null; link?: string; width?: number; align?: "left" | "center" | "right"; radius?: number } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "button"; label: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; link: string; align?: "left" | "center" | "right"; full_width?: boolean; background?: string; colour?: string } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "divider"; colour?: string; thickness?: number } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "spacer"; height: number } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "social"; align?: "left" | "center" | "right"; links: readonly ({ label: string; link: string })[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "product"; image?: { src: string; alt: string | null }; title: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; description?: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; price?: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; link?: string; label?: string; align?: "left" | "center" | "right" } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "quote"; content: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; source?: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "table"; has_header?: boolean; rows: readonly (readonly (readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[])[])[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "html"; html: string } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "footer"; align?: "left" | "center" | "right"; content?: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; unsubscribe: string; preferences?: string; view?: string } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "columns"; columns: readonly ({ width?: number; blocks: readonly ({ id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "heading"; level: number; align?: "left" | "center" | "right"; content: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "text"; align?: "left" | "center" | "right"; content: readonly ({ type: "paragraph"; align?: "left" | "center" | "right"; content: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[] } | { type: "list"; ordered?: boolean; items: readonly ({ content: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; level?: number })[] })[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "image"; src: string; alt: string | null; link?: string; width?: number; align?: "left" | "center" | "right"; radius?: number } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "button"; label: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; link: string; align?: "left" | "center" | "right"; full_width?: boolean; background?: string; colour?: string } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "divider"; colour?: string; thickness?: number } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "spacer"; height: number } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "social"; align?: "left" | "center" | "right"; links: readonly ({ label: string; link: string })[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "product"; image?: { src: string; alt: string | null }; title: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; description?: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; price?: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; link?: string; label?: string; align?: "left" | "center" | "right" } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "quote"; content: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; source?: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "table"; has_header?: boolean; rows: readonly (readonly (readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[])[])[] } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "html"; html: string } | { id: string; only_for?: { type: "tag"; tag: string; has: boolean } | { type: "variable"; name: string; is: "equal" | "not_equal" | "set" | "not_set"; value?: string }; repeat?: { over: string; most?: number }; type: "footer"; align?: "left" | "center" | "right"; content?: readonly ({ type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "variable"; name: string; fallback?: string; bold?: boolean; italic?: boolean; underline?: boolean; strike?: boolean; colour?: string; link?: string } | { type: "break" })[]; unsubscribe: string; preferences?: string; view?: string })[] })[] })[] };

export type BlocksInput = { blocks: BlocksDocument };

export type BlocksMjml = { object: "blocks_mjml"; mjml: string };

export type StarterSummary = { object: "starter"; id: string; name: string; description: string; format: "html" | "mjml"; subject: string; preview_text: string };

export type StarterList = { object: "starters"; data: readonly (StarterSummary)[] };

export type Starter = { object: "starter"; id: string; name: string; description: string; format: "html" | "mjml"; subject: string; preview_text: string; html: string | null; mjml: string | null; blocks: BlocksDocument };

export type File = { object: "file"; id: string; name: string; content_type: string; bytes: number; width: number; height: number; url: string; created_at: string; updated_at: string };

export type FilePage = { object: "list"; data: readonly (File)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SectionSummary = { object: "section"; id: string; name: string; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type SectionPage = { object: "list"; data: readonly (SectionSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SectionCreate = { name: string; blocks: BlocksDocument };

export type Section = { object: "section"; id: string; name: string; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; blocks: BlocksDocument };

export type SectionPatch = { name?: string; blocks?: BlocksDocument };

export type ContentOperations = {
  /** List what Liquid may name */
  "GET /v1/merge_names": {
    path: undefined;
    query: { list_id?: string; subscriber_id?: string };
    body: undefined;
    answer: MergeNames;
  };
  /** Write blocks as MJML */
  "POST /v1/blocks/mjml": {
    path: undefined;
    query: undefined;
    body: BlocksInput;
    answer: BlocksMjml;
  };
  /** List starters */
  "GET /v1/starters": {
    path: undefined;
    query: { for?: "campaign" | "template" };
    body: undefined;
    answer: StarterList;
  };
  /** Get a starter */
  "GET /v1/starters/{starter}": {
    path: { starter: string };
    query: undefined;
    body: undefined;
    answer: Starter;
  };
  /** Show a starter */
  "GET /v1/starters/{starter}/html": {
    path: { starter: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** List files */
  "GET /v1/files": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: FilePage;
  };
  /** Upload an image */
  "POST /v1/files": {
    path: undefined;
    query: undefined;
    body: FormData;
    answer: File;
  };
  /** Get a file */
  "GET /v1/files/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: File;
  };
  /** Delete a file */
  "DELETE /v1/files/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** List saved sections */
  "GET /v1/sections": {
    path: undefined;
    query: { q?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SectionPage;
  };
  /** Save a section */
  "POST /v1/sections": {
    path: undefined;
    query: undefined;
    body: SectionCreate;
    answer: Section;
  };
  /** Get a section */
  "GET /v1/sections/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Section;
  };
  /** Change a section */
  "PATCH /v1/sections/{id}": {
    path: { id: string };
    query: undefined;
    body: SectionPatch;
    answer: Section;
  };
  /** Delete a section */
  "DELETE /v1/sections/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
};
