import { addWords } from "../../add-words.ts";

/** The automations to begin with: what they are for, and the words of their mails. */
export const automationStarts = {
  starts: {
    greeting: "Hello",
    reader: "reader",
    begin: "Write here what you want to say.",
    unsubscribe: "Unsubscribe",
    preferences: "Choose what you get",
    blank: { name: "Blank", about: "Nothing but an end. Add the steps yourself." },
    welcome: {
      name: "Welcome",
      about: "Greets whoever joins, and writes again two days later.",
      hello: {
        subject: "Welcome",
        text: "It is good to have you here. Say in a few words what you will send, and how often.",
      },
      more: {
        subject: "Where to begin",
        text: "Name the two or three things that new people like best, each with a link.",
      },
    },
    birthday: {
      name: "Birthday",
      about: "A greeting on the day itself, every year.",
      field: "Birthday",
      mail: {
        subject: "Happy birthday",
        text: "All the best for today. If you have a present, describe it here.",
      },
    },
    anniversary: {
      name: "Anniversary",
      about: "Thanks people every year on the day when they came to you.",
      field: "Customer since",
      mail: {
        subject: "Another year together",
        text: "Thank them, and say what has become better in this year.",
      },
    },
    abandoned_cart: {
      name: "Abandoned cart",
      about: "Two reminders of a cart that was left; an order ends it at once.",
      first: {
        subject: "You left something behind",
        text: "Your cart is as you left it. Put the link to it here.",
      },
      last: {
        subject: "Your cart is still here",
        text: "Answer what may have held them back: delivery, returns, payment.",
      },
    },
    after_purchase: {
      name: "After a purchase",
      about: "Asks a week later whether all is well, and then for a review.",
      well: {
        subject: "Is everything as you hoped?",
        text: "Say where help is to be had, and how returning works.",
      },
      review: {
        subject: "What do you think of it?",
        text: "Ask for a review, with a link that leads straight to it.",
      },
    },
    reengagement: {
      name: "Re-engagement, then sunset",
      about: "Asks quiet people whether they want to stay, and lets go of those who don't answer.",
      segment: "Quiet for 90 days",
      ask: {
        subject: "Shall we go on writing?",
        text: "One click says yes. Put a button here, and say what they would miss.",
      },
      stays: "Wants to stay",
      last: { subject: "This is the last one", text: "Say that you will stop in a week, and how to stay." },
    },
    win_back: {
      name: "Win-back",
      about: "Writes to customers who haven't been back for long; an order ends it.",
      segment: "Not been here for 90 days",
      miss: { subject: "It has been a while", text: "Show what is new since they were last here." },
      offer: { subject: "Something to come back for", text: "Make an offer, and say until when it stands." },
    },
    trial_ending: {
      name: "Trial ending",
      about: "Reminds three days before a trial ends, and on its last day.",
      field: "Trial ends on",
      soon: {
        subject: "Three days left of your trial",
        text: "Say what happens at its end, and what they would keep.",
      },
      today: { subject: "Your trial ends today", text: "Put the link here by which they go on." },
    },
  },
};

addWords(automationStarts);
