import { addWords } from "../../add-words.ts";

/** The versions of an automation, and what is otherwise in one than in another. */
export const automationVersions = {
  versions: {
    title: "{{name}}: versions",
    unreadable: "The versions can't be shown",
    none: "No version yet",
    noneText:
      "The first one is made when the automation is started. Each time you publish changes, another is kept.",
    list: "Versions",
    number: "Version",
    one: "Version {{number}}",
    live: "runs now",
    sandbox: "into the sandbox",
    draft: "The draft",
    published: "Published",
    by: "By",
    people: "Those inside",
    follow: "went on by it",
    stay: "finished theirs",
    compare: "Compare",
    compareThis: "Compare version {{number}} with the one before",
    from: "From",
    to: "To",
    same: "Both are the same.",
    changes_one: "{{number}} difference",
    changes_other: "{{number}} differences",
    added: "New",
    removed: "Gone",
    changed: "Changed",
    begins: "Everybody begins at “{{after}}” instead of “{{before}}”.",
    sections: {
      entry: "Who enters",
      exit: "Who leaves early",
      send: "When mail may leave",
    },
    was: "Before: {{text}}",
    is: "Now: {{text}}",
    nothing: "nothing said",
    nowhere: "nowhere",
    led: "Leads to “{{after}}” instead of “{{before}}”.",
    ledWay: "{{way}}: leads to “{{after}}” instead of “{{before}}”.",
    parts: {
      type: "It is another kind of step.",
      title: "It has another name.",
      subject: "The subject is another.",
      content: "What the mail says is changed.",
      ways: "Its ways are others.",
      does: "What it does is changed.",
      sender: "From whom or on which topic it goes is changed.",
    },
  },
};

addWords(automationVersions);
