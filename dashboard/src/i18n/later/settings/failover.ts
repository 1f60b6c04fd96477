import { addWords } from "../../add-words.ts";

/** The order of the sending servers, those that are put out, and the providers that are closed for them. */
export const failoverWords = {
  serverState: {
    inUse: "In use",
    standsBy: "Stands by",
    standsIn: "{{stream}}, as the next",
    out: "Put out",
    closed_one: "{{number}} provider closed",
    closed_other: "{{number}} providers closed",
  },
  serverOut: {
    title: "Mail no longer leaves by “{{name}}”",
    since: "Put out since {{time}}:",
    reasons: {
      refused: "its server refuses us.",
      unreachable: "no mail gets through to it.",
    },
    nextTry: "It is tried again at {{time}}, and comes back by itself.",
    reinstate: "Reinstate",
    reinstateOf: "Reinstate {{name}}",
    askTitle: "Reinstate “{{name}}”?",
    askLead:
      "What is sent from now on leaves by it again. What has moved to another server stays there. If it is still unwell, it is put out again.",
    reinstated: "“{{name}}” is in use again",
  },
  closings: {
    title: "Closed mailbox providers",
    lead: "They asked for less, or refused us. Their mail waits and nothing is lost: it goes by itself when they open, little at first.",
    at: "By {{server}}",
    ownServer: "this instance's server",
    until: "Until {{time}}",
    from: "Mail from {{domain}}",
    reasons: {
      rate: "It asks for less mail.",
      reputation: "It says that too many don't want such mail.",
      blocked: "It refuses everything from this server's address.",
      authentication: "It can't prove that the mail is from the domain in From.",
      reverse_dns: "The name of the server's address isn't right.",
      tls: "The mail didn't come over TLS.",
      refusals: "It refused twenty mails in a row, while others took theirs.",
    },
    byItself: "It opens by itself: this server is shared with others.",
    open: "Open now",
    openOf: "Open now: {{provider}} for {{server}}",
    askTitle: "Send to {{provider}} again?",
    askLead:
      "Mail that waits for it leaves by “{{server}}” from now on, little at first. Do it once what it complained of is mended: should it complain again, it is closed again.",
    opened: "{{provider}} is open for “{{server}}”",
  },
  serverOrder: {
    title: "Order",
    lead: "Mail leaves by the first server of its order. One that refuses us or can't be reached is put out, and the next takes over within 15 seconds.",
    unreadable: "The order couldn't be read",
    leavesBy: "Leaves by {{name}} now",
    waitsFor: "Waits for {{name}}, which is put out",
    byInstance: "Leaves by this instance's server now",
    bySandbox: "Goes into the sandbox now",
    none: "No server of its own.",
    instance: "This instance's server",
    instanceHint: "Always the last",
    gone: "A deleted server",
    add: "Add a server to {{stream}}",
    addFirst: "Add a server…",
    up: "Move {{name}} up",
    down: "Move {{name}} down",
    remove: "Take {{name}} out of the order",
    moved: "{{name}} is number {{place}} of {{count}}.",
    removed: "{{name}} is out of the order.",
    added: "{{name}} is in the order.",
    keys: "Alt + Shift + ↑ or ↓ moves a server too.",
    save: "Save the order",
    saved: "The order of {{stream}} was saved",
    faults: {
      not_found: "This server was deleted. Take it out of the order.",
      not_last: "This instance's server can only be the last.",
    },
  },
} as const;

addWords(failoverWords);
