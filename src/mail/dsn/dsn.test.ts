import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type ReturnedMail, readReturnedMail } from "./dsn.ts";
import { bounce, report } from "./fixtures/mails.ts";

/** Puts what matters of each recipient on one line. */
function outcomesOf({ recipients }: ReturnedMail): string[] {
  return recipients.map((one) => `${one.address} ${one.class} ${one.reason} ${one.status} ${one.replyCode}`);
}

describe("a standard report (RFC 3464)", () => {
  test("tells of each recipient in order", () => {
    const read = readReturnedMail(
      report(
        "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown",
        "Original-Recipient: rfc822;bob@example.org\nFinal-Recipient: rfc822; bob@internal.example\nAction: failed\nStatus: 5.2.2\nDiagnostic-Code: smtp; 552 5.2.2 Mailbox\n full",
      ),
    );
    assert.equal(read.kind, "bounce");
    assert.deepEqual(outcomesOf(read), [
      "ada@example.org hard user_unknown 5.1.1 550",
      "bob@example.org soft mailbox_full 5.2.2 552",
    ]);
    assert.equal(read.recipients[1]?.diagnostic, "552 5.2.2 Mailbox full");
    assert.equal(read.originalMessageId, "<sent-1@news.example>");
  });

  test("is a delay while they still try, whatever the reason", () => {
    const read = readReturnedMail(
      report(
        "Final-Recipient: rfc822; ada@example.org\nAction: delayed\nStatus: 4.4.1\nDiagnostic-Code: smtp; Connection timed out",
      ),
    );
    assert.deepEqual([read.kind, outcomesOf(read)], ["delay", ["ada@example.org delay expired 4.4.1 null"]]);
  });

  test("of success is neither a bounce nor a delay", () => {
    const read = readReturnedMail(
      report("Final-Recipient: rfc822; ada@example.org\nAction: relayed\nStatus: 2.1.9"),
    );
    assert.deepEqual([read.kind, read.recipients[0]?.class], ["delivered", "none"]);
  });

  test("without empty lines, or with one too many, still has its recipients", () => {
    const together =
      "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1\nFinal-Recipient: rfc822; bob@example.org\nAction: failed\nStatus: 5.2.2";
    assert.deepEqual(outcomesOf(readReturnedMail(report(together))), [
      "ada@example.org hard user_unknown 5.1.1 null",
      "bob@example.org soft mailbox_full 5.2.2 null",
    ]);
    const apart = "Final-Recipient: rfc822; ada@example.org\n\nAction: failed\nStatus: 5.1.1";
    assert.deepEqual(outcomesOf(readReturnedMail(report(apart))), [
      "ada@example.org hard user_unknown 5.1.1 null",
    ]);
  });

  test("that is pasted into plain text is read alike", () => {
    const text =
      "An error occurred.\n\nTechnical report:\n\nReporting-MTA: dsn; out.example\n\nAction: failed\nFinal-Recipient: rfc822; ada@example.org\nDiagnostic-Code: smtp; 552 5.2.2 Mailbox full\nStatus: 5.2.2\n";
    assert.deepEqual(outcomesOf(readReturnedMail(bounce(text))), [
      "ada@example.org soft mailbox_full 5.2.2 552",
    ]);
  });

  test("believes the other server's words before its own summary", () => {
    const read = readReturnedMail(
      report(
        "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 4.4.7\nDiagnostic-Code: smtp; 554 5.7.1 Client host [192.0.2.1] blocked using bl.example",
      ),
    );
    assert.deepEqual(outcomesOf(read), ["ada@example.org block ip_blocked 5.7.1 554"]);
  });

  test("takes the rest of a cut reply from the transcript", () => {
    const text = ">>> DATA\n<<< 552-5.7.0 Your message was stopped since it has\n<<< 552 5.7.0 a virus\n";
    const read = readReturnedMail(
      report(
        { text },
        "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 552-5.7.0 Your message was stopped since it has",
      ),
    );
    assert.equal(read.recipients[0]?.reason, "virus_detected");
  });

  test("inside the mail that another bounce returns is the one that counts", () => {
    const inner = report(
      "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1",
    ).toString();
    const outer = bounce("The following addresses had permanent delivery errors\n", { returned: inner });
    assert.deepEqual(outcomesOf(readReturnedMail(outer)), ["ada@example.org hard user_unknown 5.1.1 null"]);
    const forwarded = bounce("Look at this.\n", {
      from: "Eve <eve@example.net>",
      subject: "Fwd: help",
      returned: inner,
    });
    assert.equal(readReturnedMail(forwarded).kind, "other");
  });
});

describe("bounces in words of their own", () => {
  const families: readonly [family: string, mail: Buffer, outcomes: readonly string[]][] = [
    [
      "qmail",
      bounce(
        "Hi. This is the qmail-send program at mx.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<ada@example.org>:\n192.0.2.9 does not like recipient.\nRemote host said: 550 5.1.1 unknown user\nGiving up on 192.0.2.9.\n\n<bob@example.org>:\nUser's mailbox is over quota (#5.2.2)\n\n--- Below this line is a copy of the message.\n\nReturn-Path: <b+tok1@news.example>\nMessage-ID: <sent-1@news.example>\n",
        { subject: "failure notice" },
      ),
      ["ada@example.org hard user_unknown 5.1.1 550", "bob@example.org soft mailbox_full 5.2.2 null"],
    ],
    [
      "Exim",
      bounce(
        "A message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ada@example.org\n    host mx.example.org [192.0.2.9]\n    SMTP error from remote mail server after RCPT TO:<ada@example.org>:\n    550 No such person at this address\n\n------ This is a copy of the message, including all the headers. ------\n\nFrom: x@y.example\n",
        { headers: "X-Failed-Recipients: ada@example.org\nAuto-Submitted: auto-replied\n" },
      ),
      ["ada@example.org hard user_unknown null 550"],
    ],
    [
      "Postfix without a report",
      bounce(
        "I'm sorry to have to inform you that your message could not be delivered.\n\n<ada@example.org>: host mx.example.org[192.0.2.9] said: 554 5.7.1\n    <ada@example.org>: Relay access denied (in reply to RCPT TO command)\n",
      ),
      ["ada@example.org block relaying_denied 5.7.1 554"],
    ],
    [
      "sendmail 5",
      bounce(
        "   ----- Transcript of session follows -----\nWhile talking to mx.example.org:\n>>> RCPT To:<ada@example.org>\n<<< 550 no such user here\n550 <ada@example.org>... User unknown\n554 <bob@nowhere.example>... 550 Host unknown (Authoritative answer from name server)\n\n   ----- Unsent message follows -----\nFrom: x\n",
      ),
      ["ada@example.org hard user_unknown null 550", "bob@nowhere.example hard domain_unknown null 554"],
    ],
    [
      "Exchange",
      bounce(
        "Your message\n\n  To:      ada@example.org\n  Subject: Hello\n\ndid not reach the following recipient(s):\n\nada@example.org on Mon, 1 Jun 2009 10:00:00 +0200\n    The recipient name is not recognized\n",
        { from: "System Administrator <postmaster@example.org>" },
      ),
      ["ada@example.org hard user_unknown null null"],
    ],
    [
      "Microsoft 365 in HTML",
      bounce(
        "<html><body><p>Your message to <b>ada@example.org</b> couldn't be delivered.</p><p>ada@example.org wasn't found at example.org.</p><p>Remote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'</p></body></html>",
        { type: "text/html; charset=utf-8" },
      ),
      ["ada@example.org hard user_unknown 5.1.10 550"],
    ],
    [
      "Domino",
      bounce(
        "Your message\n\n  Subject: Hello\n\nwas not delivered to:\n\n  ada@example.org\n\nbecause:\n\n  User ada (ada@example.org) not listed in Domino Directory\n",
      ),
      ["ada@example.org hard user_unknown null null"],
    ],
    [
      "Gmail",
      bounce(
        "Delivery to the following recipient failed permanently:\n\n     ada@example.org\n\nTechnical details of permanent failure:\nThe error that the other server returned was:\n552 5.2.2 The inbox of this user is full\n\n----- Original message -----\n\nMessage-ID: <sent-1@news.example>\n",
        { headers: "X-Failed-Recipients: ada@example.org\n" },
      ),
      ["ada@example.org soft mailbox_full 5.2.2 552"],
    ],
    [
      "Yahoo",
      bounce(
        "Sorry, we were unable to deliver your message to the following address.\n\n<ada@example.org>:\nRemote host said: 550 5.7.1 Rejected as spam [BODY]\n\n--- Below this line is a copy of the message.\n",
      ),
      ["ada@example.org block spam_detected 5.7.1 550"],
    ],
    [
      "mail.ru",
      bounce(
        "К сожалению, Ваше письмо не может быть доставлено одному или нескольким получателям:\n\n  ada@example.org\n    SMTP error from remote mail server after RCPT TO:<ada@example.org>:\n    550 5.1.1 invalid mailbox\n",
        { headers: "X-Failed-Recipients: ada@example.org\n" },
      ),
      ["ada@example.org hard user_unknown 5.1.1 550"],
    ],
    [
      "a Japanese carrier in ISO-2022-JP",
      bounce(
        '\x1b$B<!$N$"$F@h$X$N%a%C%;!<%8$O%(%i!<$N$?$a\x1b(B\n\nEach of the following recipients was rejected by a remote mail server.\n\n    Recipient: <ada@example.jp>\n    >>> RCPT TO:<ada@example.jp>\n    <<< 550 <ada@example.jp>: User unknown\n',
        { from: "Postmaster@carrier.example", subject: "Mail System Error - Returned Mail" },
      ),
      ["ada@example.jp hard user_unknown null 550"],
    ],
    [
      "a carrier's filter behind DATA",
      bounce(
        "以下のメールアドレスへの送信に失敗しました。\nada@example.jp\n\n-------server message\n550 Unknown user ada@example.jp\n-------SMTP command\nDATA\n-------original message\nFrom: x\n",
      ),
      ["ada@example.jp soft recipient_filter null 550"],
    ],
    [
      "OpenSMTPD",
      bounce(
        "    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\nada@nowhere.example: Domain does not exist\nbob@example.org: 552 5.2.2 Mailbox full\n\n    Below is a copy of the original message:\n\nFrom: x\n",
      ),
      ["ada@nowhere.example hard domain_unknown null null", "bob@example.org soft mailbox_full 5.2.2 552"],
    ],
    [
      "Courier",
      bounce(
        "This is a delivery status notification from mx.example,\n\n                           UNDELIVERABLE MAIL\n\nYour message to the following recipients cannot be delivered:\n\n<ada@example.org>:\n    mx.example.org [192.0.2.9]:\n>>> RCPT TO:<ada@example.org>\n<<< 550 5.1.1 Recipient unknown.\n",
      ),
      ["ada@example.org hard user_unknown 5.1.1 550"],
    ],
    [
      "a mailing list that takes no strangers",
      bounce("You are not a member of this mailing list <talk@lists.example>.\n", {
        from: "talk-admin@lists.example",
        subject: "You news@news.example are not member (talk ML)",
      }),
      ["talk@lists.example block sender_rejected null null"],
    ],
    [
      "a gateway that forgets to say so in the header",
      bounce("Your mail could not be delivered to: <ada@example.jp>\n    As their mailbox is full.\n", {
        from: "no-reply@carrier.example",
        subject: "Mail could not be delivered",
        headers: "Return-Path: <>\n",
      }),
      ["ada@example.jp soft mailbox_full null null"],
    ],
    [
      "Trend Micro, whose arrows point the other way",
      bounce(
        "Sent <<< RCPT TO:<ada@example.org>\nReceived >>> 550 no such user\nUnable to deliver message to <ada@example.org>\n",
      ),
      ["ada@example.org hard user_unknown null 550"],
    ],
    [
      "MailMarshal, with the reason above the recipients",
      bounce(
        "Your message:\n   From:    news@news.example\n\nCould not be delivered because of\n\n550 5.1.1 User unknown\n\nThe following recipients were affected:\n    ada@example.org\n",
      ),
      ["ada@example.org hard user_unknown 5.1.1 550"],
    ],
    [
      "no recipient but the one that the returned mail was for",
      bounce("Your mail could not be delivered: mailbox full\n", {
        returned: "To: Ada <ada@example.org>\nMessage-ID: <sent-1@news.example>\n\nhello",
      }),
      ["ada@example.org soft mailbox_full null null"],
    ],
  ];
  for (const [family, mail, outcomes] of families) {
    test(family, () => {
      const read = readReturnedMail(mail);
      assert.deepEqual([read.kind, outcomesOf(read)], ["bounce", outcomes]);
    });
  }

  const delays: readonly [family: string, mail: Buffer][] = [
    [
      "Exim",
      bounce(
        "A message that you sent has not yet been delivered to one or more of its\nrecipients after more than 24 hours on the queue on mx.example.\n\nThe address to which the message has not yet been delivered is:\n\n  ada@example.org\n    Delay reason: Connection timed out\n\nDelivery attempts will continue for some time.\n",
        { subject: "Warning: message 1a2b delayed 24 hours" },
      ),
    ],
    [
      "Gmail",
      bounce(
        "THIS IS A WARNING MESSAGE ONLY.\n\nYOU DO NOT NEED TO RESEND YOUR MESSAGE.\n\nDelivery to the following recipient has been delayed:\n\n     ada@example.org\n\nMessage will be retried for 2 more day(s)\n",
        { subject: "Delivery Status Notification (Delay)" },
      ),
    ],
  ];
  for (const [family, mail] of delays) {
    test(`${family}: a notice of delay is no failure`, () => {
      const read = readReturnedMail(mail);
      assert.deepEqual(
        [read.kind, read.recipients.map((one) => [one.address, one.class])],
        ["delay", [["ada@example.org", "delay"]]],
      );
    });
  }
});

describe("Amazon SES notifications by mail", () => {
  const notify = (body: object) =>
    bounce(`${JSON.stringify(body)}\n\n--\nunsubscribe below`, {
      from: "no-reply@sns.amazonaws.com",
      subject: "Notification",
    });

  test("tell of a bounce", () => {
    const bouncedRecipients = [
      {
        emailAddress: "ada@example.org",
        action: "failed",
        status: "5.1.1",
        diagnosticCode: "smtp; 550 5.1.1 user unknown",
      },
    ];
    const read = readReturnedMail(
      notify({ notificationType: "Bounce", bounce: { bounceType: "Permanent", bouncedRecipients } }),
    );
    assert.deepEqual(
      [read.kind, outcomesOf(read)],
      ["bounce", ["ada@example.org hard user_unknown 5.1.1 550"]],
    );
  });

  test("of a complaint, and of a delivery", () => {
    const complained = readReturnedMail(
      notify({
        notificationType: "Complaint",
        complaint: { complainedRecipients: [{ emailAddress: "ada@example.org" }] },
      }),
    );
    assert.deepEqual(
      [complained.kind, complained.feedbackType, complained.recipients[0]?.address],
      ["complaint", "abuse", "ada@example.org"],
    );
    const delivered = readReturnedMail(
      notify({
        notificationType: "Delivery",
        delivery: { recipients: ["ada@example.org"], smtpResponse: "250 ok" },
      }),
    );
    assert.equal(delivered.kind, "delivered");
  });
});

describe("mail that is no bounce isn't taken for one", () => {
  const others: readonly [what: string, mail: Buffer][] = [
    [
      "a question",
      bounce("Hello, when do you open?\n", { from: "Ada <ada@example.org>", subject: "Opening hours" }),
    ],
    [
      "a parcel that wasn't delivered",
      bounce(
        "Your parcel could not be delivered. The following address is unknown: 12 High Street. Pay 550 euro.\n",
        { from: "Parcels <info@parcels.example>", subject: "Delivery failed", headers: "Return-Path: <>\n" },
      ),
    ],
    [
      "a person who forwards a bounce",
      bounce("What is this?\n\n> 550 5.1.1 <bob@example.org>: user unknown\n", {
        from: "Ada <ada@example.org>",
        subject: "Fwd: Undelivered Mail Returned to Sender",
      }),
    ],
    [
      "a person who quotes one",
      bounce("I get: delivery failed, 550 5.1.1 user unknown for bob@example.org. Why?\n", {
        from: "Ada <ada@example.org>",
        subject: "Delivery problem",
      }),
    ],
    [
      "a postmaster who writes about something else",
      bounce("We had a temporary problem with our site. Sorry.\n", {
        from: "postmaster@example.org",
        subject: "Our web site",
      }),
    ],
    [
      "a newsletter about deliverability",
      bounce("Why mail is returned to sender: 550 5.1.1 user unknown and other SMTP errors explained.\n", {
        from: "News <news@esp.example>",
        subject: "Undelivered? What bounces mean",
        headers:
          "Auto-Submitted: auto-generated\nPrecedence: bulk\nList-Unsubscribe: <https://esp.example>\n",
      }),
    ],
    ["an empty mail", Buffer.from("")],
  ];
  for (const [what, mail] of others) test(what, () => assert.equal(readReturnedMail(mail).kind, "other"));
});

describe("no input is too much", () => {
  test("of 100,000 recipients, 100 are told", () => {
    const groups = Array.from(
      { length: 100_000 },
      (_, at) => `Final-Recipient: rfc822; u${at}@example.org\nAction: failed\nStatus: 5.1.1`,
    );
    const read = readReturnedMail(report(...groups));
    assert.deepEqual(
      [read.kind, read.recipients.length, read.recipients[99]?.address],
      ["bounce", 100, "u99@example.org"],
    );
  });

  test("100,000 recipients in plain text, likewise", () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => `<u${at}@example.org>: 550 5.1.1 user unknown`);
    const read = readReturnedMail(bounce(`could not be delivered\n${lines.join("\n")}\n`));
    assert.deepEqual([read.kind, read.recipients.length], ["bounce", 100]);
  });

  test("a diagnostic of 5 MB is cut to 1,000 characters", () => {
    const read = readReturnedMail(
      report(
        `Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 ${"x ".repeat(2_500_000)}`,
      ),
    );
    assert.equal(read.recipients[0]?.diagnostic.length, 1000);
  });

  const lines = [
    "a",
    "<",
    "@",
    "a@",
    "user ",
    "a.a@a.",
    "550-",
    "5.1.1 ",
    "mailbox full ",
    "=?",
    ">>> ",
    '{"',
    "[",
    "-",
    " ",
  ];
  for (const piece of lines) {
    test(`a line of 1 MB of ${JSON.stringify(piece)}`, () => {
      const line = piece.repeat(Math.ceil((1 << 20) / piece.length));
      const kinds = [
        bounce(line),
        bounce("Sorry", { subject: line }),
        report({ text: line }, `Final-Recipient: rfc822; ${line}\nDiagnostic-Code: smtp; ${line}`),
      ].map((mail) => readReturnedMail(mail).kind);
      assert.equal(kinds[2], "bounce");
    });
  }

  test("any bytes, and any lines that bounces are made of, have an answer", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        (bytes) => readReturnedMail(Buffer.from(bytes)).kind !== undefined,
      ),
    );
    const line = fc.constantFrom(
      "Final-Recipient: rfc822;",
      "Action: failed",
      "",
      "--b",
      "--b--",
      "Content-Type: message/delivery-status",
      "Content-Type: multipart/report; boundary=b",
      "<<< 550 x",
      "<a@b.c>:",
      "From: MAILER-DAEMON",
      "Subject: =?utf-8?b?",
      '{"notificationType":"Bounce","bounce":7}',
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 40 }),
        (all) => readReturnedMail(Buffer.from(all.join("\n"))).recipients.length <= 100,
      ),
    );
  });
});
