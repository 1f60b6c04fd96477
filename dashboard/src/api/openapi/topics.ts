// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Topic = { object: "topic"; id: string; name: string; description: string | null; default: boolean; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type TopicPage = { object: "list"; data: readonly (Topic)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type TopicCreate = { name: string; description?: string | null; default?: boolean };

export type TopicPatch = { name?: string; description?: string | null; default?: boolean };

export type SubscriberTopics = { object: "subscriber_topics"; subscriber_id: string; topics: readonly ({ id: string; name: string; description: string | null; on: boolean; chosen: boolean; reason: string | null })[] };

export type SubscriberTopicsPatch = { topics: Record<string, boolean> };

export type TopicsOperations = {
  /** List topics */
  "GET /v1/topics": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: TopicPage;
  };
  /** Make a topic */
  "POST /v1/topics": {
    path: undefined;
    query: undefined;
    body: TopicCreate;
    answer: Topic;
  };
  /** Get a topic */
  "GET /v1/topics/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Topic;
  };
  /** Change a topic */
  "PATCH /v1/topics/{id}": {
    path: { id: string };
    query: undefined;
    body: TopicPatch;
    answer: Topic;
  };
  /** Delete a topic */
  "DELETE /v1/topics/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Get a subscriber's topics */
  "GET /v1/subscribers/{id}/topics": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: SubscriberTopics;
  };
  /** Change a subscriber's topics */
  "PATCH /v1/subscribers/{id}/topics": {
    path: { id: string };
    query: undefined;
    body: SubscriberTopicsPatch;
    answer: SubscriberTopics;
  };
};
