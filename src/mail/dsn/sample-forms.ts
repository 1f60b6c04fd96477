/** A report in words: every text is made up, in the form that a product is known for. */
export type Form = {
  readonly name: string;
  readonly from: string;
  readonly subject: string;
  readonly type?: string;
  readonly headers?: string;
  readonly text: string;
  /** Each with its reason, in order. */
  readonly found: readonly string[];
};

export const original = `Received: from a.news.example by mx id 1
From: news@news.example
To: ada@example.org

hello
`;

/** Of mail servers and providers. */
export const serverForms: readonly Form[] = [
  {
    name: "a Japanese carrier",
    from: "no-reply@mm.example.ne.jp",
    subject: "Mail Delivery Failure",
    headers: "X-SPASIGN: NG\nReturn-Path: <>\n",
    text: `Your mail sent on: Thu, 29 Apr 2010 11:04:47 +0900
Could not be delivered to: <ada@example.ne.jp>
As their mailbox is full.
`,
    found: ["ada@example.ne.jp mailbox_full"],
  },
  {
    name: "a list of errors",
    from: "MAILER-DAEMON@x6.example",
    subject: "There was an error sending your mail",
    text: `We had trouble delivering your message. Full details follow:

Subject: 'News'
Date: 'Thu, 29 Apr 2010 23:34:45 +0900'

1 error(s):

SMTP Server <mx.example.org> rejected recipient <ada@example.org> (Error following RCPT command).
It responded as follows: [550 5.1.1 User unknown]
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "a qmail that is sorry",
    from: "MAILER-DAEMON@x4.example",
    subject: "Mail delivery failed: returning message to sender",
    text: `We're sorry. There's a problem with the e-mail address(es) you're trying to send to. 
Please verify the address(es) and try again.
If you continue to have problems, please contact Customer Support.

<ada@example.org>:
This email address is not known to this system.

--- Below this line is a copy of the message.

${original}`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "a server that sends a message from itself",
    from: "MAILER-DAEMON@x2.example",
    subject: "failure delivery",
    text: `Message from x2.example.
Unable to deliver message to the following address(es).

<ada@example.org>:
Account is over quota

<bob@example.org>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Original message follows.

${original}`,
    found: ["ada@example.org mailbox_full", "bob@example.org user_unknown"],
  },
  {
    name: "brackets behind the address",
    from: '"Mail Deliver System" <MAILER-DAEMON@x1.example>',
    subject: "Returned Mail: User unknown",
    text: `The original message was received at Thu, 29 Apr 2010 23:34:45 +0900
from news@sender.example

---The following addresses had delivery errors---

ada@example.org [User unknown]

${original}`,
    found: ["ada@example.org recipient_filter"],
  },
  {
    name: "a starred list",
    from: "Mail Delivery System <MAILER-DAEMON@x3.example>",
    subject: "Delivery status notification",
    text: `============================================================================
      This is an automatically generated Delivery Status Notification.

Delivery to the following recipients failed permanently:

      * ada@example.org

Reason: Permanent Error

============================================================================
      Reason: SMTP error: 550 5.1.1 ada: Recipient address rejected: User unknown
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "a report with the reason below",
    from: "postmaster@biglobe.example",
    subject: "Returned mail: see transcript for details",
    text: `   ----- The following addresses had delivery problems -----
ada@biglobe.example

   ----- Non-delivered information -----
The number of messages in recipient's mailbox exceeded the local limit.

   ----- The original mail header -----
${original}`,
    found: ["ada@biglobe.example mailbox_full"],
  },
  {
    name: "quoted-printable HTML alone",
    from: "Mail Delivery Subsystem <mailer-daemon@g.example>",
    subject: "Delivery Status Notification (Failure)",
    type: "text/html; charset=UTF-8",
    headers: "Content-Transfer-Encoding: quoted-printable\nX-Failed-Recipients: ada@example.org\n",
    text: `<html><body><h2>Address not found</h2>
<p>Your message wasn't delivered to <a href=3D"mailto:ada@example.org"><b>ada@example.org</b></a>
because the address couldn't be found, or is unable to receive mail.</p>
<p>The response from the remote server was:</p>
<p>550 5.1.1 The email account that you tried to reach does not exist.</p></body></html>
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "Exim, of three recipients",
    from: "Mail Delivery System <Mailer-Daemon@e.example>",
    subject: "Mail delivery failed: returning message to sender",
    headers: "X-Failed-Recipients: ada@example.org, bob@example.com\n",
    text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ada@example.org
    SMTP error from remote mail server after RCPT TO:<ada@example.org>:
    host mx.example.org [192.0.2.9]: 550 5.1.1 User unknown
  bob@example.com
    mailbox is full: retry timeout exceeded
  "eve smith"@example.net
    Unrouteable address

------ This is a copy of the message, including all the headers. ------

${original}`,
    found: ["ada@example.org user_unknown", "bob@example.com mailbox_full"],
  },
  {
    name: "a server that gives no reason",
    from: "postmaster@hotmail.example",
    subject: "Delivery Status Notification (Failure)",
    text: `This is an automatically generated Delivery Status Notification.

Delivery to the following recipients failed.

       ada@example.org
`,
    found: ["ada@example.org unstated"],
  },
  {
    name: "a bare list",
    from: "MAILER-DAEMON@amazonses.example",
    subject: "Delivery Status Notification (Failure)",
    text: `An error occurred while trying to deliver the mail to the following recipients:
ada@example.org
bob@example.org
`,
    found: ["ada@example.org unstated", "bob@example.org unstated"],
  },
  {
    name: "Yahoo",
    from: "MAILER-DAEMON@yahoo.example",
    subject: "Failure Notice",
    text: `Sorry, we were unable to deliver your message to the following address.

<ada@example.org>:
Remote host said: 550 5.1.1 <ada@example.org>... User Unknown [RCPT_TO]

--- Below this line is a copy of the message.

${original}`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "sendmail with a notice above",
    from: "Mail Delivery Subsystem <MAILER-DAEMON@aol.example>",
    subject: "Returned mail: User unknown",
    text: `The original message was received at Thu, 1 Jan 2015 00:00:00 -0500 (EST)
from a.sender.example [192.0.2.1]

*** ATTENTION ***

Your e-mail is being returned to you because there was a problem with its delivery.

   ----- The following addresses had permanent fatal errors -----
<ada@example.org>

   ----- Transcript of session follows -----
... while talking to air-xb04.mail.example.:
>>> RCPT To:<ada@example.org>
<<< 550 MAILBOX NOT FOUND
550 <ada@example.org>... User unknown
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "a queue that expired",
    from: "MAILER-DAEMON@ims.example",
    subject: "Mail System Error - Returned Mail",
    text: `This Message was undeliverable due to the following reason:

Your message was not delivered because the destination computer was
not reachable within the allowed queue period. The amount of time
a message is queued before it is returned depends on local configura-
tion parameters.

Your message was not delivered within 5 days.
Host example.org is not responding.

The following recipients did not receive your message:
    <ada@example.org>

Please reply to <postmaster@ims.example>
`,
    found: ["ada@example.org expired"],
  },
  {
    name: "a gateway to telephones",
    from: "post_master@vtext.example",
    subject: "Undeliverable Message",
    text: `Undeliverable Message

Message: News 
 To: 5551234567@vtext.example
 Error: No valid recipients for this MM
`,
    found: ["5551234567@vtext.example user_unknown"],
  },
  {
    name: "OpenSMTPD",
    from: "Mailer Daemon <MAILER-DAEMON@o.example>",
    subject: "Delivery status notification: error",
    text: `        Hi!

        This is the MAILER-DAEMON, please DO NOT REPLY to this email.

        An error has occurred while attempting to deliver a message for
        the following list of recipients:

ada@example.org: 550 5.2.2 <ada@example.org>... Mailbox Full
bob@example.org: Network error on destination MXs

        Below is a copy of the original message:

${original}`,
    found: ["ada@example.org mailbox_full", "bob@example.org network_error"],
  },
  {
    name: "Courier",
    from: '"Courier mail server at c.example" <postmaster@c.example>',
    subject: "NOTICE: mail delivery status.",
    text: `This is a delivery status notification from c.example,
running the Courier mail server, version 0.65.

The original message was received on Thu, 29 Apr 2010
from news@sender.example

---------------------------------------------------------------------------

                           UNDELIVERABLE MAIL

Your message to the following recipients cannot be delivered:

<ada@example.org>:
    mx.example.org [192.0.2.9]:
>>> RCPT TO:<ada@example.org>
<<< 550 5.1.1 <ada@example.org>... User Unknown

---------------------------------------------------------------------------
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "arrows before the address",
    from: "MAILER-DAEMON@ah.example",
    subject: "FAILURE NOTICE :",
    text: `This is the mail delivery program at ah.example.
I was not able to deliver your message to the following addresses.

  >>> ada@example.org <ada@example.org>

550 sorry, no mailbox here by that name (#5.1.1 - chkusr)

----- Original message -----
${original}`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "a log between bars",
    from: "Mailer-Daemon@t.example",
    subject: "Unzustellbare Nachricht",
    text: `|------------------------- Message log follows: -------------------------|
 no valid recipients were found for this message
|------------------------- Failed addresses follow: ---------------------|
 <ada@example.org> ... unknown user
|------------------------- Message text follows: ------------------------|
${original}`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "a delay",
    from: "Mail Delivery Subsystem <mailer-daemon@g.example>",
    subject: "Delivery Status Notification (Delay)",
    headers: "X-Failed-Recipients: ada@example.org\n",
    text: `This is an automatically generated Delivery Status Notification

THIS IS A WARNING MESSAGE ONLY.

YOU DO NOT NEED TO RESEND YOUR MESSAGE.

Delivery to the following recipient has been delayed:

     ada@example.org

Message will be retried for 2 more day(s)

Technical details of temporary failure:
The recipient server did not accept our requests to connect.
`,
    found: ["ada@example.org expired"],
  },
  {
    name: "French",
    from: "MAILER-DAEMON@fr.example",
    subject: "Échec de la remise du message",
    text: `Votre message n'a pas pu être remis aux destinataires suivants :

ada@example.org
  Boîte aux lettres pleine (552)
`,
    found: ["ada@example.org mailbox_full"],
  },
  {
    name: "Spanish",
    from: "MAILER-DAEMON@es.example",
    subject: "Mensaje no entregado",
    text: `Su mensaje no se pudo entregar a:

<ada@example.org>: 550 5.1.1 Usuario desconocido
`,
    found: ["ada@example.org user_unknown"],
  },
];
