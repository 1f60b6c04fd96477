/** The same as sample-replies.ts, of providers and of filters that stand before other servers. */
export const providerReplies: Readonly<Record<string, string>> = {
  "apple icloud": `
user_unknown | rcpt | 550 5.1.1 <ada@icloud.example>: user does not exist
mailbox_full | rcpt | 552 5.2.2 <ada@icloud.example>: user is over quota
ip_blocked | connect | 550 5.7.0 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1
mailbox_disabled | rcpt | 550 5.2.1 <ada@icloud.example>: inactive email address
address_moved | rcpt | 550 5.1.6 <ada@icloud.example>: recipient no longer on server
rate_limited | mail | 421 4.7.0 [PR(ir-r)] too many messages from your IP, slow down
`,
  comcast: `
too_many_at_once | connect | 421 resimta comcast 192.0.2.1 Too many sessions open
rate_limited | rcpt | 452 comcast Try again later - throttled. Too many messages sent recently
missing_ptr | connect | 554 comcast 192.0.2.1 Comcast block due to missing or invalid rDNS
user_unknown | rcpt | 550 5.1.1 Not our Customer
mailbox_disabled | rcpt | 550 5.2.1 Account not available / Mailbox disabled
`,
  "cox and spectrum": `
rate_limited | rcpt | 421 cmsmtp 192.0.2.1 is rate limited AUP#CXMXRT
ip_blocked | connect | 554 ESMTP server not available AUP#I-1010
`,
  "gmx web.de": `
user_unknown | rcpt | 550 Requested action not taken: mailbox unavailable
`,
  "t-online": `
user_unknown | rcpt | 550 5.1.1 user unknown
mailbox_full | rcpt | 552 5.2.2 Quota exceeded (mailbox for user is full)
`,
  "french providers": `
user_unknown | rcpt | 550 5.1.1 Adresse inconnue / unknown address
mailbox_full | rcpt | 552 5.2.2 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]
mailbox_disabled | rcpt | 550 5.5.0 Boite du destinataire archivee. Compte desactive. Archived recipient
rate_limited | rcpt | 450 4.7.1 You've exceeded your messaging limits. Limite de debit atteinte, slow down
user_unknown | rcpt | 550 spam: Utilisateur inexistant ici
`,
  "mail.ru and yandex": `
user_unknown | rcpt | 550 5.7.1 No such user!
spam_detected | data | 550 spam message rejected. Please visit http://help.mail.example/notspam-support
spam_detected | data | 554 5.7.1 [2] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc
rate_limited | rcpt | 451 4.7.1 Try again later: Ratelimit exceeded for mailbox
sender_rejected | mail | 550 Sender verification is failed. Sender account not exists <news@example.net>
`,
  "qq and netease": `
spam_detected | data | 550 Mail content denied. http://service.mail.qq.example/cgi-bin/help
rate_limited | rcpt | 550 Domain frequency limited
user_unknown | rcpt | 550 User not found: ada@163.example
mailbox_disabled | rcpt | 550 User suspended
mailbox_full | rcpt | 552 Quota exceeded or service disabled.
too_many_at_once | connect | 421 HL:ICC, too many concurrent connections from this IP
authentication_failed | data | 550 MI:SPF mx14, http://mail.163.example/help/help_spam_16.htm
`,
  "naver daum and japanese carriers": `
user_unknown | rcpt | 550 5.1.1 No such recipient here - nsmtp
user_unknown | rcpt | 553 5.1.2 Unknown user name in 'RCPT TO'
mailbox_disabled | rcpt | 550 5.2.1 Dormant account - nsmtp
recipient_filter | data | 550 Unknown user ada@docomo.example.jp
recipient_filter | data | 550 Invalid recipient: <ada@softbank.example.jp>
rate_limited | mail | 421 4.7.1 Too many mails were sent in a short time
`,
  "zoho fastmail proton": `
user_unknown | rcpt | 550 5.1.1 User does not exist - <ada@zoho.example>
rate_limited | data | 550 5.4.6 Unusual sending activity detected. Please try after sometime
user_unknown | rcpt | 550 5.1.1 <ada@fastmail.example>: Recipient address rejected: User unknown
user_unknown | rcpt | 550 5.1.1 Address does not exist
mailbox_disabled | rcpt | 554 5.7.1 <ada@fastmail.example>: Recipient address rejected: Account is locked
`,
  proofpoint: `
user_unknown | rcpt | 550 5.1.1 User Unknown
ip_blocked | connect | 554 Blocked - see https://ipcheck.proofpoint.example/?ip=192.0.2.1
policy_refused | data | 550 5.7.0 Local Policy Violation
too_many_at_once | connect | 452 4.3.1 Server busy, too many concurrent sessions
relaying_denied | rcpt | 550 5.7.1 <ada@example.org>... Relaying denied
`,
  mimecast: `
sender_rejected | rcpt | 550 Envelope blocked - User Entry
sender_rejected | rcpt | 550 Administrative prohibition - envelope blocked
user_unknown | rcpt | 550 Invalid Recipient
user_unknown | rcpt | 550 Recipient email address is possibly incorrect
policy_refused | data | 554 Email rejected due to content policies
ip_blocked | connect | 554 Host network not allowed
spam_detected | data | 554 Email rejected due to spam signature
ip_blocked | rcpt | 451 Internal resources are temporarily unavailable - greylisted
message_too_large | data | 554 Maximum email size exceeded
authentication_failed | data | 550 Rejected by header based Anti-Spoofing policy: dmarc fail
system_error | data | 451 Account outbounds disabled: local problem
`,
  barracuda: `
spam_detected | data | 554 Service unavailable; message blocked by Barracuda spam score
user_unknown | rcpt | 550 permanent failure for one or more recipients (ada@example.org:550 No such user)
rate_limited | rcpt | 421 4.3.2 too many messages this hour, rate control
`,
  ironport: `
user_unknown | rcpt | 550 #5.1.0 Address rejected ada@example.org
relaying_denied | rcpt | 550 #5.7.1 Relaying denied
rate_limited | rcpt | 452 #4.5.3 Too many recipients received this hour
message_too_large | data | 552 #5.3.4 message size exceeds limit
spam_detected | data | 554 #5.7.1 message content rejected as spam
expired | - | [Errno 110] 5.4.7 - Delivery expired (message too old) 'timeout'
domain_unknown | - | 5.1.2 - Bad destination host 'DNS Hard Error looking up nowhere.example (MX): NXDomain'
`,
  "messagelabs, trend, mcafee, sophos, fortinet": `
user_unknown | rcpt | 550-Invalid recipient <ada@example.org> (#5.1.1)
spam_detected | data | 554 Denied [CS] [spam message]
user_unknown | rcpt | 550 [XGEMAIL_0008] Command rejected: recipient does not exist
spam_detected | data | 550 5.7.1 Spam detected by FortiGuard
virus_detected | data | 554 5.7.1 virus infected message rejected
`,
  "hosting: godaddy, rackspace, zimbra, aruba": `
user_unknown | rcpt | 550 Recipient not found. <http://x.co/irbounce>
authentication_failed | rcpt | 550 5.7.1 sender SPF not authorized; IB508
user_unknown | rcpt | 550 5.1.1 <ada@example.org>: Recipient address rejected: example.org: user not found
mailbox_full | data | 452 4.2.2 Over quota
user_unknown | rcpt | 550 5.1.1 utente sconosciuto
mailbox_full | rcpt | 552 5.2.2 casella piena: mailbox quota exceeded
`,
  "small servers": `
user_unknown | rcpt | 550 Unknown user
user_unknown | rcpt | 550 ada@example.org No such user here
user_unknown | rcpt | 550 <ada@example.org>, Recipient unknown
user_unknown | rcpt | 550 ada@example.org unknown user account
relaying_denied | rcpt | 550 Delivery is not allowed to this address: we do not relay
security_refused | rcpt | 530 SMTP authentication is required.
syntax_error | rcpt | 503 Bad sequence of commands
mailbox_full | rcpt | 552 Mailbox is full
mailbox_full | data | 554 Could not deliver: account has exceeded its storage limit
mailbox_disabled | rcpt | 550 Account disabled
system_error | data | 554 Transaction failed: server error
too_many_at_once | rcpt | 550 Too many recipients
spam_detected | data | 554 Rejected: message looks like spam (score 8.5)
user_unknown | rcpt | 550 5.1.1 I cannot deliver mail for <ada@example.org>: no such mailbox
relaying_denied | rcpt | 550 I cannot deliver mail for ada@example.org: relaying not permitted
user_unknown | rcpt | 550 5.1.1 uzytkownik nie istnieje
user_unknown | rcpt | 550 5.1.1 Uživatel neexistuje
user_unknown | rcpt | 550 5.1.1 Caixa postal inexistente
mailbox_full | rcpt | 552 5.2.2 Caixa postal do destinatário está cheia
`,
  "amazon, sendgrid, mailgun, sparkpost": `
user_unknown | rcpt | 550 5.1.1 Mailbox does not exist
policy_refused | data | 550 5.7.1 Message rejected due to content policy of recipient
domain_unknown | - | 550 Unable to resolve MX host for nowhere.example: domain not found
suppressed | - | 605 Not delivering to previously bounced address: recipient is on the suppression list
`,
  "au, uk, ca providers": `
user_unknown | rcpt | 550 RCPT TO:<ada@example.org> User unknown
ip_blocked | connect | 554 bigpond 192.0.2.1 Connection refused. Your IP address is listed by Cloudmark CSI
ip_blocked | connect | 554 btinternet Connection rejected: DNSBL blacklisted
mailbox_disabled | rcpt | 550 Mailbox for ada@example.org has been deactivated due to inactivity
user_unknown | rcpt | 550 5.1.1 recipient does not exist in our database
rate_limited | rcpt | 421 4.7.0 You have sent too much mail, slow down
`,
  "odd wordings": `
user_unknown | rcpt | 550 5.1.1 This recipient is not in my validrcptto list
user_unknown | rcpt | 550-5.1.1 Mailbox ada@example.org does not live here
user_unknown | rcpt | 553 5.1.3 user ada is not local or not a valid mailbox
user_unknown | rcpt | 550 5.1.1 RCP-P1 no such recipient
user_unknown | rcpt | 550 cuddlylion: ada: we don't know this user
user_unknown | rcpt | 550 Account not found
user_unknown | rcpt | 550 Mailbox non-existent
user_unknown | rcpt | 554 5.7.1 <ada@example.org>: Recipient address rejected: no such account
user_unknown | rcpt | 550 Address ada@example.org has been retired and no longer accepts mail
user_unknown | rcpt | 550 5.1.1 Unbekannter Empfaenger
user_unknown | - | The name was not found at the remote site. Check that the name has been entered correctly.
user_unknown | - | unknown local-part "ada" in domain "example.org"
mailbox_full | rcpt | 452 4.2.2 Mailbox for this user is over its limit
mailbox_full | rcpt | 550 5.2.2 Mail quota for ada exceeded, bouncing
mailbox_full | data | 554 5.2.2 Message not delivered: folder INBOX has no space left
mailbox_full | - | the user's mailbox has reached its maximum size
mailbox_full | rcpt | 422 The recipient's mailbox has exceeded its storage limit
mailbox_disabled | rcpt | 550 5.2.1 The account of this user is barred for unpaid bills
mailbox_disabled | rcpt | 550 Domain example.org is suspended, contact the owner
mailbox_disabled | rcpt | 554 5.7.1 This account has been locked
mailbox_disabled | rcpt | 550 5.2.1 This mailbox has been blocked due to inactivity
message_too_large | data | 552 message exceeds 20 MB
message_too_large | mail | 552 5.3.4 Size of your mail is over the limit of this host
message_too_large | data | 554 Your mail with attachments is bigger than we accept: max message size is 10MB
ip_blocked | connect | 554 Go away, your host is on our naughty list
ip_blocked | rcpt | 550 5.7.1 Mail from your server is blocked; see https://bl.host.example/?ip=192.0.2.1
ip_blocked | rcpt | 571 Email from 192.0.2.1 is currently blocked by our filters
ip_blocked | rcpt | 451 4.7.1 Greylisting in action, please come back in 00:05:00
ip_blocked | connect | 554 5.7.1 You are not allowed to connect.
missing_ptr | connect | 550 Your IP has no PTR, connection denied
missing_ptr | rcpt | 554 5.7.1 The reverse name of your host does not match its HELO
authentication_failed | data | 550 5.7.1 Message failed sender authentication: DKIM signature did not verify
authentication_failed | data | 550 5.7.0 rejected: domain policy p=reject, DMARC
spam_detected | data | 550 High probability of spam
spam_detected | data | 554 5.7.1 Your message was recognised as junk by our filter
spam_detected | data | 571 5.7.1 Content looks spammy, score 14
virus_detected | data | 554 5.7.1 Malware found in attachment invoice.zip
policy_refused | data | 550 5.7.1 Company policy forbids this message
relaying_denied | rcpt | 550 5.7.1 You are not allowed to relay through this host
relaying_denied | rcpt | 554 Sorry, no relaying for strangers
relaying_denied | rcpt | 571 5.7.1 we don't relay for 192.0.2.1
sender_rejected | mail | 550 5.1.8 Your domain does not have an MX
sender_rejected | mail | 553 5.1.7 The sender's address contains a syntax error
sender_rejected | rcpt | 550 You may not write to this list: you are not subscribed or not a member
rate_limited | rcpt | 452 4.7.1 You send too fast; limit is 30 messages per minute
rate_limited | mail | 450 4.7.1 Rate limit exceeded for your network
too_many_at_once | connect | 421 Only 5 simultaneous connections per client are allowed
too_many_at_once | rcpt | 452 4.5.3 Recipient limit for one message reached
domain_unknown | - | Cannot resolve recipient domain nowhere.example: NXDOMAIN
domain_unknown | rcpt | 550 5.1.2 The domain nowhere.example is unknown to DNS
domain_unknown | - | DNS says that the domain nowhere.example doesn't exist
domain_takes_no_mail | rcpt | 556 5.1.10 example.org accepts no mail (null MX)
domain_takes_no_mail | rcpt | 521 5.3.2 This machine does not accept mail
address_moved | rcpt | 551 5.1.6 User has moved; please try <ada@example.com>
expired | - | Your message spent five days in our queue and could not be delivered within that time
expired | - | 4.4.7 retry time exceeded, giving up
expired | - | no reply from mx.example.org [192.0.2.9] within 300 seconds: timed out
network_error | - | connect to mx.example.org[192.0.2.9]: Network is unreachable
network_error | - | 5.4.6 mail loop: this message passed here 12 times, too many hops
network_error | - | DNS server failure (SERVFAIL) while looking up example.org, try again
system_error | data | 451 4.3.0 Internal error, the spool could not be written
system_error | rcpt | 451 4.3.0 LDAP server is temporarily unavailable
system_full | mail | 452 4.3.1 The queue of this server is full
tls_failed | mail | 530 5.7.0 This server wants STARTTLS first: encryption required
tls_failed | - | TLS negotiation failed with mx.example.org: certificate has expired
security_refused | rcpt | 550 5.7.1 Only authenticated users may write to this address
security_refused | mail | 535 5.7.8 Bad credentials
not_compliant | data | 550 5.6.0 Message has no From: header, see RFC 5322
not_compliant | data | 554 5.6.0 Two Subject fields: not RFC 5322 compliant
content_refused | data | 554 5.6.3 Cannot convert this charset
syntax_error | rcpt | 501 5.5.4 Syntax error in the RCPT command
delivery_program_failed | - | | /home/ada/bin/sort: exited with exit status 2
recipient_filter | data | 550 5.2.0 User unknown
suppressed | - | Address is on the suppression list of this sender
`,
};
