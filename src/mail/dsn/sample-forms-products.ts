/** The same as sample-forms.ts, of filters and of office products. */
import { type Form, original } from "./sample-forms.ts";

export const productForms: readonly Form[] = [
  {
    name: "MailMarshal",
    from: '"MailMarshal" <postmaster@gw.example>',
    subject: 'Undeliverable Mail: "News"',
    text: `Your message:
   From:    news@sender.example
   Subject: News
Could not be delivered because of

550 5.1.1 User unknown

The following recipients were affected:
    ada@example.org
    bob@example.org

Additional Information
======================
Original Sender:    <news@sender.example>
Sender-MTA:         <10.0.0.1>
Remote-MTA:         <10.0.0.9>
Reporting-MTA:      <gw.example>
MessageName:        <B5401>
Last-Attempt-Date:  <16:21:07 seg, 22 Dezembro 2014>
`,
    found: ["ada@example.org user_unknown", "bob@example.org user_unknown"],
  },
  {
    name: "InterScan",
    from: "InterScan MSS <imss@gw.example>",
    subject: "Mail could not be delivered",
    text: `****** Message from InterScan Messaging Security Suite ******

Sent <<< RCPT TO:<ada@example.org>
Received >>> 550 5.1.1 <ada@example.org>... user unknown

Unable to deliver message to <ada@example.org>

************************     End of message     **********************
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "InterScan, behind DATA",
    from: "InterScan MSS <imss@gw.example>",
    subject: "Mail delivery failed",
    text: `****** Message from InterScan Messaging Security Suite ******

Sent <<< DATA
Received >>> 554 5.7.1 Message rejected as spam
Unable to deliver message to <ada@example.org>
`,
    found: ["ada@example.org spam_detected"],
  },
  {
    name: "Notes",
    from: "Postmaster <MAILER-DAEMON@notes.example>",
    subject: "DELIVERY FAILURE: User bob (bob@notes.example) not listed in public Name & Address Book",
    text: `------- Failure Reasons  --------

User not listed in public Name & Address Book
bob@notes.example

User not listed in public Name & Address Book
eve@notes.example

------- Returned Message --------
${original}`,
    found: ["bob@notes.example user_unknown", "eve@notes.example user_unknown"],
  },
  {
    name: "Domino, in HTML",
    from: "Lotus Domino <MAILER-DAEMON@d.example>",
    subject: "DELIVERY FAILURE: User ada (ada@example.org) not listed in Domino Directory",
    type: "text/html",
    text: `<html><body><p>Your message</p><p>Subject: News</p>
<p>was not delivered to:</p><p><b>ada@example.org</b></p>
<p>because:</p><p>User ada (ada@example.org) not listed in Domino Directory</p></body></html>
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "Exchange 2003",
    from: "System Administrator <postmaster@ex.example>",
    subject: "Undeliverable: News",
    text: `Your message

  To:      ada@example.org
  Subject: News
  Sent:    Thu, 29 Apr 2010 18:14:35 +0000

did not reach the following recipient(s):

ada@example.org on Thu, 29 Apr 2010 18:14:36 +0000
    The recipient name is not recognized
        The MTS-ID of the original message is: c=jp;a= ;p=neko;l=EXCHANGE000000000000
    MSEXCH:IMS:Example:EXCHANGE:EX 0 (000C05A6) Unknown Recipient
bob@example.org on Thu, 29 Apr 2010 18:14:36 +0000
    The recipient was unavailable to take delivery of the message
    MSEXCH:IMS:Example:EXCHANGE:EX 0 (00120270) Too Many Hops
`,
    found: ["ada@example.org user_unknown", "bob@example.org network_error"],
  },
  {
    name: "a filter that gives the reason below",
    from: "MAILER-DAEMON@messagelabs.example",
    subject: "Mail Delivery Failure",
    text: `This is the mail delivery agent at messagelabs.example.
I was unable to deliver your message to the following addresses:

ada@example.org

Reason: 550 ada@example.org... No such user

The message subject was: Re: News
The message date was: Tue, 23 Dec 2014 20:39:34 +0000
The message identifier was: DF/AF/00000-00000001
The message reference was: server-5.tower-1.messagelabs.example!1!0
`,
    found: ["ada@example.org recipient_filter"],
  },
  {
    name: "SurfControl",
    from: "Mail Administrator <postmaster@sc.example>",
    subject: "Message could not be delivered",
    text: `Your message could not be sent.
A transcript of the attempts to send the message follows.
The number of attempts made: 1
Addressed To: ada@example.org

Thu 29 Apr 2010 23:34:45 +0900
Failed to send to identified host,
ada@example.org: [192.0.2.5], 550 ada@example.org... Mailbox full

--- Message non-deliverable.
`,
    found: ["ada@example.org mailbox_full"],
  },
  {
    name: "Apache James",
    from: "postmaster@james.example",
    subject: "[BOUNCE]",
    text: `Hi. This is the James mail server at james.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.  Below
I include the list of recipients and the reason why I was unable to deliver
your message.

Failed recipient(s):
ada@example.org

Error message:
Host example.org unknown: delivery error: no such domain
`,
    found: ["ada@example.org domain_unknown"],
  },
  {
    name: "Mercury",
    from: "Mercury Mail <postmaster@m.example>",
    subject: "Postmaster Notify: Delivery Failure",
    text: `The following addresses failed:
  <ada@example.org>
 --- SMTP error: 550 5.1.1 no such user
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "GroupWise",
    from: "Mail Delivery <Mailer-Daemon@gw.example>",
    subject: "Message status - undeliverable",
    text: `The message that you sent was undeliverable to the following:
	ada@example.org (550 Mailbox unavailable)
	bob@example.org (552 Mailbox full)

Possibly truncated original message follows:
${original}`,
    found: ["ada@example.org recipient_filter", "bob@example.org mailbox_full"],
  },
  {
    name: "Zoho",
    from: "mailer-daemon@mail.zoho.example",
    subject: "Undelivered Mail Returned to Sender",
    text: `This message was created automatically by mail delivery software.
 A message that you sent could not be delivered to one or more of its recipients. This is a permanent error. 

ada@example.org Invalid Address, ERROR_CODE :550, ERROR_CODE :5.1.1 <ada@example.org>... User Unknown

Received:from mail.zoho.example by mx.zohomail.example; Thu, 29 Apr 2010
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "Sun Messaging Server",
    from: "Internet Mail Delivery <postmaster@ms.example>",
    subject: "Delivery Notification: Delivery has failed",
    text: `This report relates to a message you sent with the following header fields:

  Return-path: <news@sender.example>
  From: news@sender.example
  To: ada@example.org
  Subject: News

Your message cannot be delivered to the following recipients:

  Recipient address: ada@example.org
  Reason: User mailbox is over quota

  Recipient address: bob@example.org
  Original address: bob@other.example
  Reason: Illegal host/domain name found

  Recipient address: eve@example.org
  Reason: SMTP transmission failure has occurred
  Diagnostic code: smtp;550 5.1.1 <eve@example.org>: Recipient address rejected
  Remote system: dns;mx.example.org
`,
    found: ["ada@example.org mailbox_full", "bob@example.org domain_unknown", "eve@example.org user_unknown"],
  },
  {
    name: "IMail",
    from: "Postmaster <postmaster@imail.example>",
    subject: "Undeliverable Mail",
    text: `User mailbox exceeds allowed size: ada@example.org
Unknown user: bob@example.org


Original message follows.

${original}`,
    found: ["ada@example.org mailbox_full", "bob@example.org user_unknown"],
  },
  {
    name: "m-FILTER",
    from: "MAILER-DAEMON@mf.example",
    subject: "failure notice",
    headers: "X-Mailer: m-FILTER\n",
    text: `-------server message
550 5.1.1 unknown user <ada@example.org>

-------SMTP command
RCPT TO:<ada@example.org>

-------original message
${original}`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "MDaemon",
    from: "MDaemon at md.example <MDaemon@md.example>",
    subject: "Permanent Delivery Failure",
    text: `The attached message had PERMANENT fatal delivery errors!

After one or more unsuccessful delivery attempts the attached message has
been removed from the mail queue on this server.

Delivery failed: 550 5.1.1 user unknown
Failed address: ada@example.org

--- Session Transcript ---
 Thu 2015-01-01 00:00:00: Parsing message <pd50000012.msg>
 Thu 2015-01-01 00:00:00: <-- 550 5.1.1 <ada@example.org>... User unknown
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "Kerio",
    from: "postmaster@k.example",
    subject: "Delivery Failure",
    text: `Your mail could not be delivered to its recipient.

The following recipients could not be reached:

    ada@example.org
        550 5.1.1 Mailbox does not exist
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "CommuniGate",
    from: "MAILER-DAEMON@cg.example",
    subject: "Undeliverable mail: News",
    text: `Failed to deliver to 'ada@example.org'
SMTP module(domain example.org) reports:
 host mx.example.org says:
 550 5.1.1 unknown user account
`,
    found: ["ada@example.org user_unknown"],
  },
  {
    name: "SmarterMail",
    from: "System Administrator <>",
    subject: "Delivery Failure",
    text: `Could not deliver message to the following recipient(s):

Failed Recipient: ada@example.org
Reason: Remote host said: 550 5.1.1 no such user

   -- The header and top 20 lines of the message follows --
${original}`,
    found: ["ada@example.org user_unknown"],
  },
];
