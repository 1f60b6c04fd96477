// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

import type { Subscriber } from "./subscribers.ts";

export type Segment = { object: "segment"; id: string; name: string; list_id: string | null; rules: Record<string, unknown>; sentence: string; names: Record<string, string>; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type SegmentPage = { object: "list"; data: readonly (Segment)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SegmentCreate = { name: string; list_id?: string | null; rules: Record<string, unknown> };

export type SegmentPreviewInput = { list_id?: string | null; rules: Record<string, unknown>; include_steps: boolean };

export type SegmentPreview = { object: "segment_preview"; count: number | null; sentence: string; names: Record<string, string>; sample: readonly (Subscriber)[] | null; steps: { from: number | null; rules: readonly ({ pointer: string; count: number | null; alone: number | null })[] } | null };

export type SegmentPatch = { name?: string; list_id?: string | null; rules?: Record<string, unknown> };

export type SegmentsOperations = {
  /** List segments */
  "GET /v1/segments": {
    path: undefined;
    query: { q?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SegmentPage;
  };
  /** Make a segment */
  "POST /v1/segments": {
    path: undefined;
    query: undefined;
    body: SegmentCreate;
    answer: Segment;
  };
  /** Try rules out */
  "POST /v1/segments/preview": {
    path: undefined;
    query: undefined;
    body: SegmentPreviewInput;
    answer: SegmentPreview;
  };
  /** Get a segment */
  "GET /v1/segments/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Segment;
  };
  /** Change a segment */
  "PATCH /v1/segments/{id}": {
    path: { id: string };
    query: undefined;
    body: SegmentPatch;
    answer: Segment;
  };
  /** Delete a segment */
  "DELETE /v1/segments/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
};
