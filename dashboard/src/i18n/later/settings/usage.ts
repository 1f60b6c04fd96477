import { addWords } from "../../add-words.ts";

/** What an account sent, and what that costs. */
export const usageWords = {
  usage: {
    lead: "Mail that a server accepted, counted to the mail. What failed, was skipped or went into the sandbox is free.",
    month: "Month",
    sent: "Sent",
    sandbox_one: "and {{number}} mail into the sandbox",
    sandbox_other: "and {{number}} mails into the sandbox",
    forecast: "By the end of the month",
    forecastNote: "if its days go on as the last four weeks",
    forecastCost: "that would be {{price}}",
    cost: "Cost",
    per1000: "{{price}} for a thousand mails",
    byStream: "By kind of mail",
    byVia: "By whose server",
    via: { instance: "This service’s", own: "The account’s own" },
    byDay: "By day",
    day: "Day",
    asTable: "As a table",
    asChart: "As a chart",
    chartUnreadable: "The days couldn’t be read",
    campaigns: "By campaign",
    campaignsLead: "Campaigns whose sending began in this month, each with all that was sent of it.",
    campaign: "Campaign",
    began: "Began",
    noCampaigns: "No campaign began in this month.",
    campaignsUnreadable: "The campaigns couldn’t be read",
    none: "Nothing was sent in {{month}}",
    noneText: "What you send is counted here as soon as a server has accepted it.",
    unreadable: "The usage couldn’t be read",
  },
  allowance: {
    title: "Mails of your plan",
    used: "{{used}} of {{limit}}",
    left_one: "{{number}} left until {{day}}",
    left_other: "{{number}} left until {{day}}",
    gone: "None is left until {{day}}. What waits goes on then.",
    over_one: "{{number}} mail beyond them, charged by the mail, until {{day}}",
    over_other: "{{number}} mails beyond them, charged by the mail, until {{day}}",
  },
};

addWords(usageWords);
