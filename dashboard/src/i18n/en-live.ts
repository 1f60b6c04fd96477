/** Words about what comes by itself, and about what somebody else changed meanwhile. */
export const live = {
  live: {
    asOf: "As of {{time}}",
    newEvents_one: "{{count}} new event",
    newEvents_other: "{{count}} new events",
    manyEvents: "Many new events",
  },
  who: {
    nobody: "Somebody",
    named: {
      user: "{{name}}",
      api_key: "The key “{{name}}”",
      import: "The import “{{name}}”",
      system: "{{name}}",
    },
    nameless: {
      user: "Somebody",
      api_key: "A key",
      import: "An import",
      system: "The service itself",
    },
  },
} as const;
