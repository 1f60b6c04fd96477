// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Guardrails = { hard_bounce_pause_rate: number; hard_bounce_after_mails: number; complaint_warn_rate: number; complaint_pause_rate: number; complaint_after_mails: number; complaint_after_complaints: number; released_at: string | null };

export type Account = { object: "account"; id: string; name: string; time_zone: string; from_name: string | null; from_email: string | null; reply_to: string | null; postal_address: string | null; tracking: "individual" | "consented" | "aggregate" | "off" | null; honeypot_link: boolean; branding: { colour: string | null; logo_file_id: string | null }; guardrails: Guardrails; checklist: { dismissed: boolean; skipped: readonly ("sender" | "tracking" | "subscribers" | "sending_server" | "campaign")[] }; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type AccountPatch = { name?: string; time_zone?: string; from_name?: string | null; from_email?: string | null; reply_to?: string | null; postal_address?: string | null; tracking?: "individual" | "consented" | "aggregate" | "off" | null; honeypot_link?: boolean; branding?: { colour?: string | null; logo_file_id?: string | null } | null; guardrails?: { hard_bounce_pause_rate?: number | null; hard_bounce_after_mails?: number | null; complaint_warn_rate?: number | null; complaint_pause_rate?: number | null; complaint_after_mails?: number | null; complaint_after_complaints?: number | null; released_at?: string | null } | null; checklist?: { dismissed?: boolean; skipped?: readonly ("sender" | "tracking" | "subscribers" | "sending_server" | "campaign")[] } };

export type ApiKey = { object: "api_key"; id: string; name: string; scopes: readonly ("full" | "account:read" | "account:write" | "api_keys:read" | "api_keys:write" | "users:read" | "users:write" | "events:read" | "subscribers:read" | "subscribers:write" | "suppressions:read" | "suppressions:write" | "campaigns:read" | "campaigns:write" | "campaigns:send" | "emails:read" | "emails:send" | "transports:read" | "transports:write" | "files:read" | "files:write" | "instance:read")[]; hint: string; unlimited: boolean; last_used_at: string | null; expires_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type ApiKeyPage = { object: "list"; data: readonly (ApiKey)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type NewApiKey = { object: "api_key"; id: string; name: string; scopes: readonly ("full" | "account:read" | "account:write" | "api_keys:read" | "api_keys:write" | "users:read" | "users:write" | "events:read" | "subscribers:read" | "subscribers:write" | "suppressions:read" | "suppressions:write" | "campaigns:read" | "campaigns:write" | "campaigns:send" | "emails:read" | "emails:send" | "transports:read" | "transports:write" | "files:read" | "files:write" | "instance:read")[]; hint: string; unlimited: boolean; last_used_at: string | null; expires_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; key: string | null };

export type ApiKeyCreate = { name: string; scopes: readonly ("full" | "account:read" | "account:write" | "api_keys:read" | "api_keys:write" | "users:read" | "users:write" | "events:read" | "subscribers:read" | "subscribers:write" | "suppressions:read" | "suppressions:write" | "campaigns:read" | "campaigns:write" | "campaigns:send" | "emails:read" | "emails:send" | "transports:read" | "transports:write" | "files:read" | "files:write" | "instance:read")[]; expires_at?: string | null };

export type ApiKeyPatch = { name?: string; expires_at?: string | null };

export type User = { object: "user"; id: string; email: string; name: string; role: "owner" | "member"; status: "invited" | "active"; last_signed_in_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type UserPage = { object: "list"; data: readonly (User)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type NewUser = { object: "user"; id: string; email: string; name: string; role: "owner" | "member"; status: "invited" | "active"; last_signed_in_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; setup_link: string | null };

export type UserCreate = { email: string; name?: string; role?: "owner" | "member" };

export type UserPatch = { name?: string; role?: "owner" | "member" };

export type PasswordLink = { object: "password_link"; id: string; user_id: string | null; email: string | null; purpose: "setup" | "reset"; url: string | null; expires_at: string; created_at: string; updated_at: string };

export type Session = { object: "session"; id: string; account_id: string; user: User; expires_at: string; created_at: string; updated_at: string };

export type SessionCreate = { email: string; password: string };

export type PasswordChange = { current_password: string; new_password: string };

export type LinkInspection = { token: string };

export type LinkRedemption = { token: string; password: string; email?: string; name?: string };

export type Event = { object: "event"; id: string; type: "account.created" | "account.updated" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.failed" | "email.opened" | "email.clicked" | "transport.created" | "transport.updated" | "transport.deleted" | "file.created" | "file.deleted"; timestamp: string; account_id: string; actor: { kind: "api_key" | "user" | "system"; id: string | null }; data: Record<string, unknown>; created_at: string; updated_at: string };

export type EventPage = { object: "list"; data: readonly (Event)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type List = { object: "list"; id: string; name: string; from_name: string | null; from_email: string | null; reply_to: string | null; postal_address: string | null; double_opt_in: boolean; public: boolean; tracking: "individual" | "consented" | "aggregate" | "off" | null; archive_slug: string | null; archive_indexed: boolean; sample: boolean; counts: { pending: number; active: number; unsubscribed: number; bounced: number; complained: number; total: number }; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type ListPage = { object: "list"; data: readonly (List)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ListCreate = { name: string; from_name?: string | null; from_email?: string | null; reply_to?: string | null; postal_address?: string | null; double_opt_in?: boolean; public?: boolean; tracking?: "individual" | "consented" | "aggregate" | "off" | null; archive_slug?: string | null; archive_indexed?: boolean };

export type ListPatch = { name?: string; from_name?: string | null; from_email?: string | null; reply_to?: string | null; postal_address?: string | null; double_opt_in?: boolean; public?: boolean; tracking?: "individual" | "consented" | "aggregate" | "off" | null; archive_slug?: string | null; archive_indexed?: boolean };

export type Growth = { object: "growth"; list_id: string | null; time_zone: string; as_of: string; active: number; gained: number; lost: number; data: readonly ({ date: string; active: number; gained: number; lost: number })[] };

export type Subscriber = { object: "subscriber"; id: string; email: string; list_id: string; contact_id: string; first_name: string | null; last_name: string | null; locale: string | null; time_zone: string | null; tags: readonly (string)[]; fields: Record<string, string | number | boolean | null>; status: "pending" | "active" | "unsubscribed" | "bounced" | "complained"; status_reason: string | null; sendable: boolean; eai: boolean; source: string; consent: { action: string; attested: boolean; source: string | null; wording: string | null; ip: string | null; at: string } | null; tracking_consent: boolean | null; tracking_consent_at: string | null; confirmed_at: string | null; unsubscribed_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type SubscriberPage = { object: "list"; data: readonly (Subscriber)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ConsentInput = { attested?: boolean; source?: string; wording?: string; ip?: string };

export type SubscriberCreate = { email: string; list_id: string; first_name?: string | null; last_name?: string | null; locale?: string | null; time_zone?: string | null; tags?: readonly (string)[]; fields?: Record<string, string | number | boolean | null>; tracking_consent?: boolean | null; tracking_evidence?: ConsentInput; source?: string; consent?: ConsentInput };

export type SubscriberCounts = { object: "subscriber_counts"; total: number; pending: number; active: number; unsubscribed: number; bounced: number; complained: number };

export type SubscriberBatchResult = { object: "batch"; results: readonly ({ status: number; subscriber?: { id: string; status: "pending" | "active" | "unsubscribed" | "bounced" | "complained" }; error?: { code: string; detail: string } })[] };

export type SubscriberBatch = { subscribers: readonly (unknown)[]; on_conflict?: "update" | "skip" };

export type SubscriberPatch = { email?: string; first_name?: string | null; last_name?: string | null; locale?: string | null; time_zone?: string | null; tags?: readonly (string)[] | null; fields?: Record<string, string | number | boolean | null> | null; tracking_consent?: boolean | null; tracking_evidence?: ConsentInput; list_id?: unknown; status?: unknown };

export type Unsubscribe = { scope?: "list" | "all"; reason?: string; campaign_id?: string };

export type Resubscribe = { consent?: ConsentInput };

export type TagChange = { add?: readonly (string)[]; remove?: readonly (string)[] };

export type Activity = { object: "activity"; id: string; type: string; data: Record<string, unknown>; created_at: string; updated_at: string };

export type ActivityPage = { object: "list"; data: readonly (Activity)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type Erasure = { object: "erasure"; id: string; contact_id: string; subscribers_removed: number; created_at: string; updated_at: string };

export type BulkActionShown = { type: "add_tags" | "remove_tags" | "set_field" | "add_to_list" | "unsubscribe" | "delete"; tags?: readonly (string)[]; field?: string; value?: string | number | boolean | null; list_id?: string };

export type BulkChange = { object: "bulk_change"; id: string; status: "pending" | "running" | "completed" | "failed" | "canceled" | "undoing" | "undone"; filter: { list_id?: string; status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained"; tag?: readonly (string)[]; segment_id?: string; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; held_back?: "opted_out" | "suppressed" } | null; action: BulkActionShown; counts: { total: number | null; processed: number; changed: number; skipped: number; failed: number; undone: number }; progress: { percent: number; per_second: number | null; eta: string | null }; undo_until: string | null; error: { code: string; detail: string } | null; created_at: string; updated_at: string; started_at: string | null; finished_at: string | null };

export type BulkChangePage = { object: "list"; data: readonly (BulkChange)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type BulkFilter = { list_id?: string; status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained"; tag?: readonly (string)[]; segment_id?: string; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; held_back?: "opted_out" | "suppressed" };

export type BulkAction = { type: "add_tags" | "remove_tags" | "set_field" | "add_to_list" | "unsubscribe" | "delete"; tags?: readonly (string)[]; field?: string; value?: string | number | boolean | null; list_id?: string };

export type BulkChangeCreate = { filter?: BulkFilter; ids?: readonly (string)[]; action: BulkAction };

export type Field = { object: "field"; id: string; key: string; name: string; type: "text" | "number" | "date" | "boolean" | "url"; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type FieldPage = { object: "list"; data: readonly (Field)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type FieldCreate = { key: string; name?: string; type: "text" | "number" | "date" | "boolean" | "url" };

export type FieldPatch = { key?: string; name?: string };

export type Tag = { object: "tag"; id: string; name: string; created_at: string; updated_at: string };

export type TagPage = { object: "list"; data: readonly (Tag)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type Segment = { object: "segment"; id: string; name: string; list_id: string | null; rules: Record<string, unknown>; sentence: string; names: Record<string, string>; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type SegmentPage = { object: "list"; data: readonly (Segment)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SegmentCreate = { name: string; list_id?: string | null; rules: Record<string, unknown> };

export type SegmentPreview = { object: "segment_preview"; count: number | null; sentence: string; names: Record<string, string>; sample: readonly (Subscriber)[] | null; steps: { from: number | null; rules: readonly ({ pointer: string; count: number | null; alone: number | null })[] } | null };

export type SegmentPreviewInput = { list_id?: string | null; rules: Record<string, unknown>; include_steps: boolean };

export type SegmentPatch = { name?: string; list_id?: string | null; rules?: Record<string, unknown> };

export type Suppression = { object: "suppression"; id: string; contact_id: string; email: string | null; reason: "hard_bounce" | "soft_bounces" | "complaint" | "manual" | "erased"; streams: readonly ("campaign" | "automation" | "transactional")[]; source: string; created_at: string; updated_at: string };

export type SuppressionPage = { object: "list"; data: readonly (Suppression)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SuppressionCreate = { email: string; reason?: "manual" | "hard_bounce" | "complaint" };

export type Import = { object: "import"; id: string; status: "pending" | "running" | "completed" | "failed" | "canceled" | "undoing" | "undone"; target: "subscribers" | "suppressions"; preset: "postrider" | "mailchimp" | "listmonk" | "brevo" | "mautic" | "mailerlite" | "kit" | null; list_id: string | null; file_name: string; file_bytes: number; dry_run: boolean; mapping: Record<string, string>; options: { on_conflict: "skip" | "update"; tags: readonly (string)[]; consent: { attested: boolean; source?: string; wording?: string } | null; has_header: boolean; delimiter: "," | ";" | "\t" | "|"; encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"; default_status: "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained"; status_values: Record<string, "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained">; date_order: "dmy" | "mdy" }; effects: { opted_out: number; suppressed: number }; counts: { total: number | null; processed: number; created: number; updated: number; skipped: number; failed: number; removed: number }; progress: { percent: number; rows_per_second: number | null; eta: string | null }; warnings: readonly ({ code: string; detail: string })[]; error: { code: string; detail: string } | null; created_at: string; updated_at: string; started_at: string | null; finished_at: string | null };

export type ImportPage = { object: "list"; data: readonly (Import)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ImportConsent = { attested: boolean; source?: string; wording?: string };

export type ImportOptions = { list_id?: string; target?: "subscribers" | "suppressions"; default_status?: "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained"; status_values?: Record<string, "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained">; date_order?: "dmy" | "mdy"; mapping?: Record<string, string>; has_header?: boolean; delimiter?: "," | ";" | "\t" | "|"; encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"; on_conflict?: "skip" | "update"; tags?: readonly (string)[]; consent?: ImportConsent; dry_run?: boolean };

export type ImportPreview = { object: "import_preview"; target: "subscribers" | "suppressions"; file_name: string; format: { delimiter: "," | ";" | "\t" | "|"; encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"; has_header: boolean }; preset: { id: "postrider" | "mailchimp" | "listmonk" | "brevo" | "mautic" | "mailerlite" | "kit"; name: string; kind: "subscribed" | "unsubscribed" | "cleaned" | "non_subscribed" | null } | null; columns: readonly ({ name: string; target: string; guessed_from: "preset" | "heading" | "content" | "nothing"; filled: number; field: { key: string; name: string; type: "text" | "number" | "date" | "boolean" } | null })[]; mapping: Record<string, string>; default_status: "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained"; status_values: Record<string, "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained" | null>; date_order: "dmy" | "mdy"; attributes: readonly ({ path: string; field: { key: string; name: string; type: "text" | "number" | "date" | "boolean" }; exists: boolean })[]; warnings: readonly ({ code: string; column: string | null; detail: string })[]; rows_sampled: number; rows: readonly (readonly (string)[])[] | null };

export type ImportPreviewOptions = { target?: "subscribers" | "suppressions"; file_bytes?: number; has_header?: boolean; delimiter?: "," | ";" | "\t" | "|"; encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" };

export type Export = { object: "export"; id: string; resource: "subscribers" | "campaign_recipients" | "suppressions"; list_id: string | null; segment_id: string | null; campaign_id: string | null; event: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed" | null; include_machines: boolean; download_url: string | null; expires_at: string; created_at: string; updated_at: string };

export type ExportPage = { object: "list"; data: readonly (Export)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ExportCreate = { resource?: "subscribers" | "campaign_recipients" | "suppressions"; list_id?: string; segment_id?: string; campaign_id?: string; event?: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; include_machines?: boolean };

export type SandboxMessageSummary = { object: "sandbox_message"; id: string; campaign_id: string | null; from: string; to: string; subject: string | null; created_at: string; updated_at: string };

export type SandboxMessagePage = { object: "list"; data: readonly (SandboxMessageSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SandboxMessage = { object: "sandbox_message"; id: string; campaign_id: string | null; from: string; to: string; subject: string | null; created_at: string; updated_at: string; headers: readonly ({ name: string; value: string })[]; html: string | null; text: string | null; size: number };

export type Transport = { object: "transport"; id: string; name: string; host: string; port: number; tls: "implicit" | "required" | "opportunistic" | "never"; verify_certificate: boolean; username: string | null; has_password: boolean; ehlo_name: string | null; max_connections: number; rate_per_second: number | null; streams: readonly ("campaign" | "transactional" | "automation")[]; last_test: { tested_at: string; ok: boolean; phase: "connect" | "tls" | "greeting" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "message" | null; code: number | null; text: string | null } | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type TransportPage = { object: "list"; data: readonly (Transport)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type TransportCreate = { name: string; host: string; port?: number; tls?: "implicit" | "required" | "opportunistic" | "never"; verify_certificate?: boolean; username?: string | null; password?: string | null; ehlo_name?: string | null; max_connections?: number; rate_per_second?: number | null; streams?: readonly ("campaign" | "transactional" | "automation")[] };

export type TransportPatch = { name?: string; host?: string; port?: number; tls?: "implicit" | "required" | "opportunistic" | "never"; verify_certificate?: boolean; username?: string | null; password?: string | null; ehlo_name?: string | null; max_connections?: number; rate_per_second?: number | null; streams?: readonly ("campaign" | "transactional" | "automation")[] };

export type TransportTest = { object: "transport_test"; transport_id: string; ok: boolean; phase: "connect" | "tls" | "greeting" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "message" | null; code: number | null; text: string | null; advice: string | null; encrypted: boolean; to: string | null; steps: readonly ({ phase: "connect" | "tls" | "greeting" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "message"; duration_ms: number })[]; tested_at: string };

export type TransportTestInput = { to?: string; from?: string };

export type CampaignCheck = { code: string; severity: "error" | "warning" | "info"; message: string; remedy: string; place: { part: string; line: number; column: number; excerpt: string } | null; count: number };

export type Sending = { object: "sending"; leaves_by: "sandbox" | "transport" | "instance"; host: string | null; checks: readonly (CampaignCheck)[] };

export type MergeNames = { object: "merge_names"; variables: readonly ({ name: string; label: string | null; type: "text" | "number" | "date" | "boolean" | "url" | "list"; value: string | null })[]; tags: readonly ({ name: string; end: string | null })[]; filters: readonly (string)[] };

export type StarterSummary = { object: "starter"; id: string; name: string; description: string; format: "html" | "mjml"; subject: string; preview_text: string };

export type StarterList = { object: "starters"; data: readonly (StarterSummary)[] };

export type Starter = { object: "starter"; id: string; name: string; description: string; format: "html" | "mjml"; subject: string; preview_text: string; html: string | null; mjml: string | null };

export type File = { object: "file"; id: string; name: string; content_type: string; bytes: number; width: number; height: number; url: string; created_at: string; updated_at: string };

export type FilePage = { object: "list"; data: readonly (File)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type CampaignSummary = { object: "campaign"; id: string; name: string; list_id: string; segment_id: string | null; subject: string; preview_text: string | null; from_name: string | null; from_email: string | null; reply_to: string | null; tracking: { opens: boolean; clicks: boolean }; utm: { source: string | null; medium: string | null; campaign: string | null; term: string | null; content: string | null } | null; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled" | "failed"; paused_from: "scheduled" | "sending" | null; pause_reason: string | null; status_reason: string | null; send_at: string | null; started_at: string | null; finished_at: string | null; archived_at: string | null; progress: { phase: "planning" | "sending" | "retrying" | null; total: number; done: number; remaining: number; per_second: number | null; eta: string | null }; allowed_actions: readonly ("update" | "delete" | "send" | "schedule" | "unschedule" | "pause" | "resume" | "cancel" | "duplicate")[]; on_ambiguous: "resend" | "hold"; archive: boolean; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; stats?: { recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: { suppressed: number; unsubscribed: number; invalid: number; canceled: number; deleted: number; total: number }; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; unsubscribes: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; tracking: "individual" | "consented" | "aggregate" | "off" | null; rates: { delivery: number; bounce: number; unsubscribe: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null }; first_open_at: string | null; last_open_at: string | null; last_click_at: string | null } | null };

export type CampaignPage = { object: "list"; data: readonly (CampaignSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type CampaignCounts = { object: "campaign_counts"; total: number; draft: number; scheduled: number; sending: number; paused: number; sent: number; canceled: number; failed: number };

export type CampaignVersionSummary = { object: "campaign_version"; campaign_id: string; number: number; subject: string; restored_from: number | null; actor: { kind: "api_key" | "user" | "system"; id: string | null; name: string | null }; created_at: string; updated_at: string };

export type CampaignVersionPage = { object: "list"; data: readonly (CampaignVersionSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type CampaignVersion = { object: "campaign_version"; campaign_id: string; number: number; subject: string; restored_from: number | null; actor: { kind: "api_key" | "user" | "system"; id: string | null; name: string | null }; created_at: string; updated_at: string; name: string; preview_text: string | null; from_name: string | null; from_email: string | null; reply_to: string | null; html: string | null; mjml: string | null; text: string | null; tracking: { opens: boolean; clicks: boolean }; utm: { source: string | null; medium: string | null; campaign: string | null; term: string | null; content: string | null } | null };

export type Campaign = { object: "campaign"; id: string; name: string; list_id: string; segment_id: string | null; subject: string; preview_text: string | null; from_name: string | null; from_email: string | null; reply_to: string | null; tracking: { opens: boolean; clicks: boolean }; utm: { source: string | null; medium: string | null; campaign: string | null; term: string | null; content: string | null } | null; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled" | "failed"; paused_from: "scheduled" | "sending" | null; pause_reason: string | null; status_reason: string | null; send_at: string | null; started_at: string | null; finished_at: string | null; archived_at: string | null; progress: { phase: "planning" | "sending" | "retrying" | null; total: number; done: number; remaining: number; per_second: number | null; eta: string | null }; allowed_actions: readonly ("update" | "delete" | "send" | "schedule" | "unschedule" | "pause" | "resume" | "cancel" | "duplicate")[]; on_ambiguous: "resend" | "hold"; archive: boolean; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; html: string | null; mjml: string | null; template_id: string | null; text: string | null; checks: readonly (CampaignCheck)[] };

export type CampaignCreate = { name: string; list_id: string; subject: string; html?: string | null; mjml?: string | null; template_id?: string | null; text?: string | null; preview_text?: string | null; from_name?: string | null; from_email?: string | null; reply_to?: string | null; segment_id?: string | null; tracking?: { opens?: boolean; clicks?: boolean }; utm?: { source?: string | null; medium?: string | null; campaign?: string | null; term?: string | null; content?: string | null } | null; on_ambiguous?: "resend" | "hold"; archive?: boolean };

export type CampaignPatch = { name?: string; list_id?: string; subject?: string; html?: string | null; mjml?: string | null; template_id?: string | null; text?: string | null; preview_text?: string | null; from_name?: string | null; from_email?: string | null; reply_to?: string | null; segment_id?: string | null; tracking?: { opens?: boolean; clicks?: boolean }; utm?: { source?: string | null; medium?: string | null; campaign?: string | null; term?: string | null; content?: string | null } | null; on_ambiguous?: "resend" | "hold"; archive?: boolean };

export type CampaignSend = { undo_seconds?: number };

export type CampaignSchedule = { send_at: string };

export type CampaignResume = { if_elapsed?: "refuse" | "send_now" };

export type CampaignStats = { object: "campaign_stats"; campaign_id: string; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled" | "failed"; as_of: string; recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: { suppressed: number; unsubscribed: number; invalid: number; canceled: number; deleted: number; total: number }; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; unsubscribes: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; tracking: "individual" | "consented" | "aggregate" | "off" | null; rates: { delivery: number; bounce: number; unsubscribe: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null }; first_open_at: string | null; last_open_at: string | null; last_click_at: string | null; top_links: readonly ({ url: string; clicks: number })[] };

export type CampaignAudience = { object: "campaign_audience"; campaign_id: string; on_list: number; excluded: readonly ({ rule: string; count: number })[]; will_get: number };

export type CampaignChecks = { object: "campaign_checks"; campaign_id: string; blocks_send: boolean; checks: readonly (CampaignCheck)[] };

export type CampaignPreview = { object: "campaign_preview"; campaign_id: string; subscriber_id: string | null; from: { name: string | null; email: string }; reply_to: string | null; subject: string; preview_text: string | null; html: string | null; text: string | null };

export type CampaignPreviewInput = { subscriber_id?: string | null; sketch?: boolean; name?: string; list_id?: string; subject?: string; html?: string | null; mjml?: string | null; template_id?: string | null; text?: string | null; preview_text?: string | null; from_name?: string | null; from_email?: string | null; reply_to?: string | null; segment_id?: string | null; tracking?: { opens?: boolean; clicks?: boolean }; utm?: { source?: string | null; medium?: string | null; campaign?: string | null; term?: string | null; content?: string | null } | null; on_ambiguous?: "resend" | "hold"; archive?: boolean };

export type CampaignTest = { object: "campaign_test"; campaign_id: string; to: readonly (string)[] };

export type CampaignTestInput = { to: readonly (string)[]; subscriber_id?: string | null };

export type CampaignResend = { object: "campaign_resend"; campaign_id: string; sent: number; engaged: number; will_get: number; unseen: number; gone: number };

export type CampaignRecipient = { object: "campaign_recipient"; id: string; subscriber_id: string | null; email: string | null; status: "ready" | "inflight" | "sent" | "deferred" | "failed" | "skipped" | "unknown" | null; reason: string | null; attempts: number | null; reply: { code?: number | null; text?: string | null } | null; event: { type?: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; at?: string; times?: number; human?: boolean } | null; created_at: string; updated_at: string };

export type CampaignRecipientPage = { object: "list"; data: readonly (CampaignRecipient)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type RecipientSegment = { object: "recipient_segment"; campaign_id: string; segment_id: string; tag: string; event: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; include_machines: boolean; status: "running" | "completed"; counts: { processed: number; tagged: number }; created_at: string; updated_at: string; completed_at: string | null };

export type RecipientSegmentCreate = { name: string; event: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; include_machines: boolean };

export type SendingStats = { object: "sending_stats"; since: string; as_of: string; recipients: number; queued: number; sent: number; delivered: number; failed: number; unknown: number; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; unsubscribes: number; rates: { delivery: number; hard_bounce: number; complaint: number } };

export type CampaignDomains = { object: "campaign_domains"; campaign_id: string; as_of: string; data: readonly ({ domain: string; recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: number; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; rates: { delivery: number; bounce: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null } })[]; other: { recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: number; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; rates: { delivery: number; bounce: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null } } };

export type CampaignErrors = { object: "campaign_errors"; campaign_id: string; as_of: string; counted: number; data: readonly ({ status: "deferred" | "failed" | "unknown"; reason: string; bounce: "hard" | "soft" | "block" | null; count: number; next_try_at: string | null; domains: readonly ({ domain: string | null; count: number; reply: { code: number | null; text: string | null; count: number } })[]; replies: readonly ({ code: number | null; text: string | null; count: number })[] })[] };

export type CampaignLinks = { object: "campaign_links"; campaign_id: string; as_of: string; data: readonly ({ url: string; position: number; total: number; unique: number | null; human: number | null; machine: number; positions: readonly ({ position: number; total: number; unique: number | null; human: number | null; machine: number })[] })[] };

export type CampaignComparison = { object: "campaign_comparison"; campaign_id: string; as_of: string; basis: "list" | "account" | null; compared_with: readonly ({ campaign_id: string; launched_at: string })[]; data: readonly ({ rate: "open" | "click" | "unsubscribe" | "bounce"; value: number; band: { from: number; to: number }; lowest: number; highest: number; average: number; standing: "usual" | "higher" | "lower" | "early"; since: string | null })[] };

export type CampaignTimeseries = { object: "campaign_timeseries"; campaign_id: string; interval: "hour" | "day"; time_zone: string; as_of: string; data: readonly ({ start: string; end: string; sent: number; failed: number; unknown: number; skipped: number; bounces: { hard: number; soft: number; block: number; total: number }; unsubscribes: number; opens: number; clicks: number; machine_opens: number; machine_clicks: number })[]; has_more: boolean };

export type Email = { object: "email"; id: string; from: string | null; to: readonly (string)[]; cc: readonly (string)[]; bcc: readonly (string)[]; reply_to: string | null; subject: string | null; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; recipients: readonly ({ email: string | null; role: "to" | "cc" | "bcc" | null; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; reason: string | null; code: number | null; reply: string | null; at: string })[]; attachments: readonly ({ filename: string; content_type: string; size: number })[]; tags: readonly (string)[]; metadata: Record<string, string>; send_at: string | null; created_at: string; updated_at: string };

export type EmailCreate = { from: string; to: readonly (string)[]; cc?: readonly (string)[]; bcc?: readonly (string)[]; reply_to?: string; subject: string; html?: string; mjml?: string; text?: string; attachments?: readonly ({ filename: string; content: string; content_type?: string; content_id?: string })[]; headers?: Record<string, string>; tags?: readonly (string)[]; metadata?: Record<string, string>; send_at?: string };

export type EmailBatchResult = { object: "batch"; results: readonly ({ status: number; email?: { id: string; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; skipped?: readonly ({ email: string; reason: string })[] }; error?: { code: string; detail: string } })[] };

export type EmailBatch = { emails: readonly (unknown)[] };

export type EmailPage = { object: "list"; data: readonly (Email)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type EmailDetail = { object: "email"; id: string; from: string | null; to: readonly (string)[]; cc: readonly (string)[]; bcc: readonly (string)[]; reply_to: string | null; subject: string | null; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; recipients: readonly ({ email: string | null; role: "to" | "cc" | "bcc" | null; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; reason: string | null; code: number | null; reply: string | null; at: string })[]; attachments: readonly ({ filename: string; content_type: string; size: number })[]; tags: readonly (string)[]; metadata: Record<string, string>; send_at: string | null; created_at: string; updated_at: string; timeline: readonly ({ type: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; at: string; email: string | null; attempt: number | null; reason: string | null; code: number | null; reply: string | null })[] };

export type SampleData = { object: "sample_data"; list_id: string | null; campaign_id: string | null; subscribers: number; own_subscribers: number; drafts: number; campaigns: number };

export type BrandingPreview = { object: "branding_preview"; colour: string | null; light: { sheet: string; text: string; button: string; button_text: string; button_edge: string; mark: string; contrast: number }; dark: { sheet: string; text: string; button: string; button_text: string; button_edge: string; mark: string; contrast: number } };

export type Instance = { object: "instance"; version: string; may_read_health: boolean };

export type HealthCheck = { name: string; group: "machine" | "network" | "database" | "work"; status: "ok" | "warn" | "fail" | "info"; finding: string; remedy: string | null };

export type InstanceHealth = { object: "instance_health"; version: string; checked_at: string; checks: readonly (HealthCheck)[]; report: string };

export type Problem = { type: string; title: string; status: number; detail: string; code: string; request_id: string; errors?: readonly ({ pointer?: string; parameter?: string; code: string; detail: string; line?: number; column?: number })[] };

export type Operations = {
  /** Get the account */
  "GET /v1/account": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Account;
  };
  /** Change the account */
  "PATCH /v1/account": {
    path: undefined;
    query: undefined;
    body: AccountPatch;
    answer: Account;
  };
  /** List API keys */
  "GET /v1/api_keys": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ApiKeyPage;
  };
  /** Make an API key */
  "POST /v1/api_keys": {
    path: undefined;
    query: undefined;
    body: ApiKeyCreate;
    answer: NewApiKey;
  };
  /** Get an API key */
  "GET /v1/api_keys/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: ApiKey;
  };
  /** Rename an API key, or change when it expires */
  "PATCH /v1/api_keys/{id}": {
    path: { id: string };
    query: undefined;
    body: ApiKeyPatch;
    answer: ApiKey;
  };
  /** Revoke an API key */
  "DELETE /v1/api_keys/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** List users */
  "GET /v1/users": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: UserPage;
  };
  /** Invite a user */
  "POST /v1/users": {
    path: undefined;
    query: undefined;
    body: UserCreate;
    answer: NewUser;
  };
  /** Get a user */
  "GET /v1/users/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: User;
  };
  /** Change a user's name or role */
  "PATCH /v1/users/{id}": {
    path: { id: string };
    query: undefined;
    body: UserPatch;
    answer: User;
  };
  /** Remove a user */
  "DELETE /v1/users/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Make a link that sets a user's password */
  "POST /v1/users/{id}/password_link": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: PasswordLink;
  };
  /** Sign in */
  "POST /v1/session": {
    path: undefined;
    query: undefined;
    body: SessionCreate;
    answer: Session;
  };
  /** Get the present session */
  "GET /v1/session": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Session;
  };
  /** Sign out */
  "DELETE /v1/session": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Change one's own password */
  "POST /v1/session/password": {
    path: undefined;
    query: undefined;
    body: PasswordChange;
    answer: Session;
  };
  /** See what a password link is for */
  "POST /v1/password_links/inspect": {
    path: undefined;
    query: undefined;
    body: LinkInspection;
    answer: PasswordLink;
  };
  /** Set a password by a link, and sign in */
  "POST /v1/password_links/redeem": {
    path: undefined;
    query: undefined;
    body: LinkRedemption;
    answer: Session;
  };
  /** List events */
  "GET /v1/events": {
    path: undefined;
    query: { type?: readonly ("account.created" | "account.updated" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.failed" | "email.opened" | "email.clicked" | "transport.created" | "transport.updated" | "transport.deleted" | "file.created" | "file.deleted")[]; sort?: "-created_at" | "created_at"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: EventPage;
  };
  /** Get an event */
  "GET /v1/events/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Event;
  };
  /** Watch events */
  "GET /v1/events/stream": {
    path: undefined;
    query: { type?: readonly ("account.created" | "account.updated" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.failed" | "email.opened" | "email.clicked" | "transport.created" | "transport.updated" | "transport.deleted" | "file.created" | "file.deleted")[]; cursor?: string };
    body: undefined;
    answer: unknown;
  };
  /** List lists */
  "GET /v1/lists": {
    path: undefined;
    query: { q?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ListPage;
  };
  /** Make a list */
  "POST /v1/lists": {
    path: undefined;
    query: undefined;
    body: ListCreate;
    answer: List;
  };
  /** Get a list */
  "GET /v1/lists/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: List;
  };
  /** Change a list */
  "PATCH /v1/lists/{id}": {
    path: { id: string };
    query: undefined;
    body: ListPatch;
    answer: List;
  };
  /** Delete a list and its subscribers */
  "DELETE /v1/lists/{id}": {
    path: { id: string };
    query: { force?: boolean };
    body: undefined;
    answer: undefined;
  };
  /** Get how lists grow */
  "GET /v1/stats/growth": {
    path: undefined;
    query: { list_id?: string; days?: number; time_zone?: string };
    body: undefined;
    answer: Growth;
  };
  /** List subscribers */
  "GET /v1/subscribers": {
    path: undefined;
    query: { list_id?: string; tag?: readonly (string)[]; segment_id?: string; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; held_back?: "opted_out" | "suppressed"; status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained"; sort?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SubscriberPage;
  };
  /** Add a subscriber to a list */
  "POST /v1/subscribers": {
    path: undefined;
    query: { on_conflict?: "update" | "skip" };
    body: SubscriberCreate;
    answer: Subscriber;
  };
  /** Find an address on every list */
  "GET /v1/subscribers/search": {
    path: undefined;
    query: { email: string; list_id?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SubscriberPage;
  };
  /** Count subscribers by status */
  "GET /v1/subscribers/counts": {
    path: undefined;
    query: { list_id?: string; tag?: readonly (string)[]; segment_id?: string; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; held_back?: "opted_out" | "suppressed" };
    body: undefined;
    answer: SubscriberCounts;
  };
  /** Add up to 1,000 subscribers */
  "POST /v1/subscribers/batch": {
    path: undefined;
    query: undefined;
    body: SubscriberBatch;
    answer: SubscriberBatchResult;
  };
  /** Get a subscriber */
  "GET /v1/subscribers/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Subscriber;
  };
  /** Change a subscriber */
  "PATCH /v1/subscribers/{id}": {
    path: { id: string };
    query: undefined;
    body: SubscriberPatch;
    answer: Subscriber;
  };
  /** Delete a subscriber */
  "DELETE /v1/subscribers/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Unsubscribe */
  "POST /v1/subscribers/{id}/unsubscribe": {
    path: { id: string };
    query: undefined;
    body: Unsubscribe | undefined;
    answer: Subscriber;
  };
  /** Bring a subscriber back */
  "POST /v1/subscribers/{id}/resubscribe": {
    path: { id: string };
    query: undefined;
    body: Resubscribe | undefined;
    answer: Subscriber;
  };
  /** Send the confirmation mail again */
  "POST /v1/subscribers/{id}/resend_confirmation": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Subscriber;
  };
  /** Add and remove tags */
  "POST /v1/subscribers/{id}/tags": {
    path: { id: string };
    query: undefined;
    body: TagChange;
    answer: Subscriber;
  };
  /** The timeline of a subscriber */
  "GET /v1/subscribers/{id}/activity": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ActivityPage;
  };
  /** Erase a person */
  "POST /v1/subscribers/{id}/forget": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Erasure;
  };
  /** List bulk changes */
  "GET /v1/bulk_changes": {
    path: undefined;
    query: { status?: "pending" | "running" | "completed" | "failed" | "canceled" | "undoing" | "undone"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: BulkChangePage;
  };
  /** Change many subscribers */
  "POST /v1/bulk_changes": {
    path: undefined;
    query: undefined;
    body: BulkChangeCreate;
    answer: BulkChange;
  };
  /** Get a bulk change */
  "GET /v1/bulk_changes/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BulkChange;
  };
  /** Cancel a bulk change */
  "POST /v1/bulk_changes/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BulkChange;
  };
  /** Undo a bulk change */
  "POST /v1/bulk_changes/{id}/undo": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BulkChange;
  };
  /** List custom fields */
  "GET /v1/fields": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: FieldPage;
  };
  /** Make a custom field */
  "POST /v1/fields": {
    path: undefined;
    query: undefined;
    body: FieldCreate;
    answer: Field;
  };
  /** Get a custom field */
  "GET /v1/fields/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Field;
  };
  /** Rename a custom field */
  "PATCH /v1/fields/{id}": {
    path: { id: string };
    query: undefined;
    body: FieldPatch;
    answer: Field;
  };
  /** Delete a custom field */
  "DELETE /v1/fields/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** List tags */
  "GET /v1/tags": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: TagPage;
  };
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
  /** List suppressions */
  "GET /v1/suppressions": {
    path: undefined;
    query: { reason?: "hard_bounce" | "soft_bounces" | "complaint" | "manual" | "erased"; email?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SuppressionPage;
  };
  /** Suppress an address */
  "POST /v1/suppressions": {
    path: undefined;
    query: undefined;
    body: SuppressionCreate;
    answer: Suppression;
  };
  /** Get a suppression */
  "GET /v1/suppressions/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Suppression;
  };
  /** Remove a suppression */
  "DELETE /v1/suppressions/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** List imports */
  "GET /v1/imports": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ImportPage;
  };
  /** Import a file */
  "POST /v1/imports": {
    path: undefined;
    query: undefined;
    body: FormData;
    answer: Import;
  };
  /** Preview an import */
  "POST /v1/imports/preview": {
    path: undefined;
    query: undefined;
    body: FormData;
    answer: ImportPreview;
  };
  /** Get an import */
  "GET /v1/imports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Import;
  };
  /** Watch an import */
  "GET /v1/imports/{id}/progress": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Download the rows that failed */
  "GET /v1/imports/{id}/errors": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Cancel an import */
  "POST /v1/imports/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Import;
  };
  /** Undo an import */
  "POST /v1/imports/{id}/undo": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Import;
  };
  /** List exports */
  "GET /v1/exports": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ExportPage;
  };
  /** Export a list, a segment, a campaign's recipients or the suppressions */
  "POST /v1/exports": {
    path: undefined;
    query: undefined;
    body: ExportCreate;
    answer: Export;
  };
  /** Get an export */
  "GET /v1/exports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Export;
  };
  /** Delete an export */
  "DELETE /v1/exports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** List caught messages */
  "GET /v1/sandbox/messages": {
    path: undefined;
    query: { to?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SandboxMessagePage;
  };
  /** Empty the sandbox */
  "DELETE /v1/sandbox/messages": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Get a caught message */
  "GET /v1/sandbox/messages/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: SandboxMessage;
  };
  /** Get a caught message as it was sent */
  "GET /v1/sandbox/messages/{id}/raw": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Show a caught message */
  "GET /v1/sandbox/messages/{id}/html": {
    path: { id: string };
    query: { pictures?: "own" | "all" };
    body: undefined;
    answer: unknown;
  };
  /** List transports */
  "GET /v1/transports": {
    path: undefined;
    query: { stream?: "campaign" | "transactional" | "automation"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: TransportPage;
  };
  /** Make a transport */
  "POST /v1/transports": {
    path: undefined;
    query: undefined;
    body: TransportCreate;
    answer: Transport;
  };
  /** Get a transport */
  "GET /v1/transports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Transport;
  };
  /** Change a transport */
  "PATCH /v1/transports/{id}": {
    path: { id: string };
    query: undefined;
    body: TransportPatch;
    answer: Transport;
  };
  /** Delete a transport */
  "DELETE /v1/transports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Test a transport */
  "POST /v1/transports/{id}/test": {
    path: { id: string };
    query: undefined;
    body: TransportTestInput | undefined;
    answer: TransportTest;
  };
  /** Tell how campaigns leave */
  "GET /v1/sending": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Sending;
  };
  /** List what Liquid may name */
  "GET /v1/merge_names": {
    path: undefined;
    query: { list_id?: string; subscriber_id?: string };
    body: undefined;
    answer: MergeNames;
  };
  /** List starters */
  "GET /v1/starters": {
    path: undefined;
    query: undefined;
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
  /** List campaigns */
  "GET /v1/campaigns": {
    path: undefined;
    query: { list_id?: string; q?: string; archived?: boolean; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; send_at_after?: string; send_at_before?: string; status?: readonly ("draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled" | "failed")[]; include_stats?: boolean; sort?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: CampaignPage;
  };
  /** Make a campaign */
  "POST /v1/campaigns": {
    path: undefined;
    query: undefined;
    body: CampaignCreate;
    answer: Campaign;
  };
  /** Count campaigns by status */
  "GET /v1/campaigns/counts": {
    path: undefined;
    query: { list_id?: string; q?: string; archived?: boolean; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; send_at_after?: string; send_at_before?: string };
    body: undefined;
    answer: CampaignCounts;
  };
  /** List a campaign's versions */
  "GET /v1/campaigns/{id}/versions": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: CampaignVersionPage;
  };
  /** Get a version of a campaign */
  "GET /v1/campaigns/{id}/versions/{number}": {
    path: { id: string; number: string };
    query: undefined;
    body: undefined;
    answer: CampaignVersion;
  };
  /** Restore a version of a campaign */
  "POST /v1/campaigns/{id}/versions/{number}/restore": {
    path: { id: string; number: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Get a campaign */
  "GET /v1/campaigns/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Change a campaign */
  "PATCH /v1/campaigns/{id}": {
    path: { id: string };
    query: undefined;
    body: CampaignPatch;
    answer: Campaign;
  };
  /** Delete a draft */
  "DELETE /v1/campaigns/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Copy a campaign */
  "POST /v1/campaigns/{id}/duplicate": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Send a campaign */
  "POST /v1/campaigns/{id}/send": {
    path: { id: string };
    query: undefined;
    body: CampaignSend | undefined;
    answer: Campaign;
  };
  /** Schedule a campaign */
  "POST /v1/campaigns/{id}/schedule": {
    path: { id: string };
    query: undefined;
    body: CampaignSchedule;
    answer: Campaign;
  };
  /** Take a campaign off the schedule */
  "POST /v1/campaigns/{id}/unschedule": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Pause a campaign */
  "POST /v1/campaigns/{id}/pause": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Resume a campaign */
  "POST /v1/campaigns/{id}/resume": {
    path: { id: string };
    query: undefined;
    body: CampaignResume | undefined;
    answer: Campaign;
  };
  /** Cancel a campaign */
  "POST /v1/campaigns/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Get a campaign's statistics */
  "GET /v1/campaigns/{id}/stats": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignStats;
  };
  /** Watch a campaign */
  "GET /v1/campaigns/{id}/progress": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** See who would get a campaign */
  "GET /v1/campaigns/{id}/audience": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignAudience;
  };
  /** Check a campaign */
  "GET /v1/campaigns/{id}/checks": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignChecks;
  };
  /** Preview a campaign */
  "POST /v1/campaigns/{id}/preview": {
    path: { id: string };
    query: undefined;
    body: CampaignPreviewInput | undefined;
    answer: CampaignPreview;
  };
  /** Send a test */
  "POST /v1/campaigns/{id}/test": {
    path: { id: string };
    query: undefined;
    body: CampaignTestInput;
    answer: CampaignTest;
  };
  /** Show what a campaign sent */
  "GET /v1/campaigns/{id}/html": {
    path: { id: string };
    query: { subscriber_id?: string; part?: "html" | "text"; clicks?: boolean; pictures?: "own" | "all" };
    body: undefined;
    answer: unknown;
  };
  /** See who neither opened nor clicked */
  "GET /v1/campaigns/{id}/resend": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignResend;
  };
  /** Make a draft for those who neither opened nor clicked */
  "POST /v1/campaigns/{id}/resend": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** List a campaign's recipients */
  "GET /v1/campaigns/{id}/recipients": {
    path: { id: string };
    query: { status?: "ready" | "inflight" | "sent" | "deferred" | "failed" | "skipped" | "unknown"; event?: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; include_machines?: boolean; reason?: string; domain?: string; email?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: CampaignRecipientPage;
  };
  /** Make a segment of recipients */
  "POST /v1/campaigns/{id}/recipients/segments": {
    path: { id: string };
    query: undefined;
    body: RecipientSegmentCreate;
    answer: RecipientSegment;
  };
  /** See how far the making of a segment is */
  "GET /v1/campaigns/{id}/recipients/segments/{segment_id}": {
    path: { id: string; segment_id: string };
    query: undefined;
    body: undefined;
    answer: RecipientSegment;
  };
  /** Get the statistics of all recent campaigns */
  "GET /v1/stats/sending": {
    path: undefined;
    query: { days?: number; sandbox?: boolean };
    body: undefined;
    answer: SendingStats;
  };
  /** Get a campaign's statistics by domain */
  "GET /v1/campaigns/{id}/stats/domains": {
    path: { id: string };
    query: { limit?: number };
    body: undefined;
    answer: CampaignDomains;
  };
  /** Get a campaign's errors by reason */
  "GET /v1/campaigns/{id}/stats/errors": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignErrors;
  };
  /** Get a campaign's clicks by link */
  "GET /v1/campaigns/{id}/stats/links": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignLinks;
  };
  /** Compare a campaign with the last ones */
  "GET /v1/campaigns/{id}/stats/comparison": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignComparison;
  };
  /** Get a campaign's statistics by time */
  "GET /v1/campaigns/{id}/stats/timeseries": {
    path: { id: string };
    query: { interval?: "hour" | "day"; time_zone?: string; from?: string; to?: string };
    body: undefined;
    answer: CampaignTimeseries;
  };
  /** Send a mail */
  "POST /v1/emails": {
    path: undefined;
    query: undefined;
    body: EmailCreate;
    answer: Email;
  };
  /** List mails */
  "GET /v1/emails": {
    path: undefined;
    query: { to?: string; tag?: string; status?: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; subject?: string; created_after?: string; created_before?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: EmailPage;
  };
  /** Send up to 100 mails */
  "POST /v1/emails/batch": {
    path: undefined;
    query: undefined;
    body: EmailBatch;
    answer: EmailBatchResult;
  };
  /** Cancel a mail */
  "POST /v1/emails/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: EmailDetail;
  };
  /** Get a mail */
  "GET /v1/emails/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: EmailDetail;
  };
  /** Tell what sample data there is */
  "GET /v1/sample_data": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SampleData;
  };
  /** Add sample data */
  "POST /v1/sample_data": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SampleData;
  };
  /** Remove sample data */
  "DELETE /v1/sample_data": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Preview the colour of public pages */
  "GET /v1/branding_preview": {
    path: undefined;
    query: { colour?: string };
    body: undefined;
    answer: BrandingPreview;
  };
  /** Get the instance */
  "GET /v1/instance": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Instance;
  };
  /** Say what is wrong with the instance */
  "GET /v1/instance/health": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: InstanceHealth;
  };
};
