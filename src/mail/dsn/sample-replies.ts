/**
 * What mail servers are known to answer, and what it means: reason, stage of the session, reply; "-" where the stage is
 * not told. Those without a code are words of the reporting server itself. For the tests of this folder.
 */
export const serverReplies: Readonly<Record<string, string>> = {
  postfix: `
user_unknown | - | unknown user: "ada"
user_unknown | rcpt | 550 5.1.0 <ada@example.org>: Recipient address rejected: User unknown in canonical table
sender_rejected | rcpt | 450 4.1.8 <news@example.net>: Sender address rejected: Domain not found
sender_rejected | rcpt | 554 5.7.1 <news@example.net>: Sender address rejected: Access denied
sender_rejected | rcpt | 553 5.7.1 <news@example.net>: Sender address rejected: not owned by user bob
missing_ptr | rcpt | 450 4.7.1 Client host rejected: cannot find your hostname, [192.0.2.1]
missing_ptr | rcpt | 450 4.7.25 Client host rejected: cannot find your reverse hostname, [192.0.2.1]
ip_blocked | rcpt | 554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied
ip_blocked | rcpt | 504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname
ip_blocked | rcpt | 450 4.7.1 <mail>: Helo command rejected: Host not found
relaying_denied | rcpt | 454 4.7.1 <ada@example.org>: Relay access denied
message_too_large | mail | 552 5.3.4 Message size exceeds fixed limit
message_too_large | - | message size 30187412 exceeds size limit 20971520 of server mx.example.org[192.0.2.9]
network_error | - | mail for example.org loops back to myself
network_error | - | 554 5.4.6 mail forwarding loop for ada@example.org
domain_takes_no_mail | - | Domain example.org does not accept mail (nullMX)
tls_failed | - | TLS is required, but was not offered by host mx.example.org[192.0.2.9]
tls_failed | - | Cannot start TLS: handshake failure
delivery_program_failed | - | Command time limit exceeded: "/usr/local/bin/filter"
mailbox_full | - | 552 5.2.2 <ada@example.org>: Recipient address rejected: Over quota
mailbox_full | - | cannot update mailbox /var/mail/ada for user ada. Disk quota exceeded
too_many_at_once | rcpt | 421 4.7.0 mx.example.org Error: too many connections from 192.0.2.1
rate_limited | mail | 450 4.7.1 Error: too much mail from 192.0.2.1
too_many_at_once | rcpt | 452 4.5.3 Error: too many recipients
syntax_error | rcpt | 503 5.5.1 Error: need RCPT command
user_unknown | rcpt | 501 5.1.3 Bad recipient address syntax
spam_detected | data | 550 5.7.1 Spam message rejected
virus_detected | data | 550 5.7.1 virus Eicar-Test-Signature detected by ClamAV - http://www.clamav.net
system_error | rcpt | 451 4.3.0 <ada@example.org>: Temporary lookup failure
system_error | rcpt | 451 4.3.5 <ada@example.org>: Recipient address rejected: Server configuration problem
system_full | mail | 452 4.3.1 Insufficient system storage
not_compliant | data | 550 5.5.2 Error: bare <LF> received
`,
  exim: `
user_unknown | rcpt | 550 Unrouteable address
user_unknown | rcpt | 550 No Such User Here"
sender_rejected | mail | 550 Sender verify failed
sender_rejected | rcpt | 451 Could not complete sender verify callout
relaying_denied | rcpt | 550 relay not permitted
spam_detected | data | 550 This message was classified as SPAM and may not be delivered
spam_detected | data | 550 Message scored 9.3 spam points.
virus_detected | data | 550 This message contains a virus (Win.Test.EICAR_HDB-1).
policy_refused | data | 550 Administrative prohibition
policy_refused | data | 550 This message contains an attachment of a type that is blocked (.exe)
ip_blocked | connect | 550 Host is blacklisted
ip_blocked | connect | 550 Bad HELO - Host impersonating [mx.example.org]
ip_blocked | connect | 550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)
missing_ptr | connect | 550 rDNS lookup failed; your host must have a reverse DNS entry
mailbox_full | rcpt | 550 Mailbox quota exceeded / Speicherplatz voll
mailbox_full | - | mailbox is full (MTA-imposed quota exceeded while writing to file /var/mail/ada)
mailbox_full | - | mailbox is full: retry timeout exceeded
expired | - | retry time not reached for any host after a long failure period
expired | - | all hosts for 'example.org' have been failing for a long time (and retry time not reached)
expired | - | mx.example.org [192.0.2.9] Connection timed out
domain_unknown | - | all relevant MX records point to non-existent hosts
domain_unknown | - | Unrouteable mail domain "nowhere.example"
message_too_large | mail | 552 Message size exceeds maximum permitted
message_too_large | - | message is too big (transport limit = 10485760)
not_compliant | data | 550 maximum allowed line length is 998 octets, got 2251
tls_failed | - | a TLS session is required, but an attempt to start TLS failed
too_many_at_once | connect | 421 Too many concurrent SMTP connections; please try again later.
mailbox_disabled | rcpt | 550 Mailbox for ada@example.org is disabled
system_error | data | 451 Temporary local problem - please try later
system_error | rcpt | 451 Temporary local problem - please try later
syntax_error | rcpt | 501 ada@: domain missing or malformed
authentication_failed | rcpt | 550 SPF: 192.0.2.1 is not allowed to send mail from example.net
network_error | - | Too many "Received" headers - suspected mail loop
`,
  sendmail: `
user_unknown | rcpt | 550 5.1.1 <ada@example.org>... User unknown
user_unknown | - | 550 5.1.1 ada... User unknown
user_unknown | rcpt | 553 5.1.3 <ada@example@org>... Invalid route address
sender_rejected | mail | 501 5.1.8 Domain of sender address news@example.net does not exist
sender_rejected | mail | 553 5.5.4 <news>... Domain name required for sender address news
sender_rejected | mail | 451 4.1.8 Domain of sender address news@example.net does not resolve
relaying_denied | rcpt | 550 5.7.1 <ada@example.org>... Relaying denied. Proper authentication required.
relaying_denied | rcpt | 550 5.7.1 <ada@example.org>... Relaying denied. IP name lookup failed [192.0.2.1]
ip_blocked | connect | 554 mx.example.org ESMTP not accepting messages
sender_rejected | mail | 550 5.7.1 Access denied
domain_takes_no_mail | - | 550 5.1.2 host does not accept mail (null MX)
expired | - | 421 4.0.0 Deferred: Connection timed out with mx.example.org.
network_error | - | 553 5.3.5 mx.example.org. config error: mail loops back to me (MX problem?)
message_over_limit | mail | 552 5.2.3 Message exceeds maximum fixed size (2097152)
message_too_large | mail | 552 5.3.4 Message size exceeds fixed maximum message size (10000000)
mailbox_full | - | 550 5.2.2 Over quota
mailbox_full | - | can't create (user) output file: Disc quota exceeded
system_error | - | 451 4.3.0 collect: Cannot write ./dfp2A (bfcommit, uid=0, gid=25): Input/output error
system_full | mail | 452 4.4.5 Insufficient disk space; try again later
too_many_at_once | connect | 421 4.3.2 Connection rate limit exceeded.
too_many_at_once | connect | 421 4.3.2 Too many open connections.
too_many_at_once | rcpt | 452 4.5.3 Too many recipients
content_refused | data | 554 5.6.1 8-bit data not supported; message body conversion failed
delivery_program_failed | - | 554 5.3.0 unknown mailer error 127
delivery_program_failed | - | smrsh: "vacation.pl" not available for sendmail programs (stat failed)
tls_failed | mail | 530 5.7.0 Must issue a STARTTLS command first
tls_failed | - | 403 4.7.0 TLS handshake failed.
security_refused | mail | 530 5.7.0 Authentication required
`,
  "qmail and kin": `
user_unknown | - | Sorry, no mailbox here by that name. (#5.1.1)
user_unknown | - | Sorry, no mailbox here by that name. vpopmail (#5.1.1)
user_unknown | rcpt | 550 sorry, no mailbox here by that name (#5.7.17)
user_unknown | rcpt | 511 sorry, can't find a valid MX for rcpt domain (#5.1.1 - chkuser)
domain_unknown | - | Sorry, I couldn't find any host named nowhere.example. (#5.1.2)
network_error | - | This message is looping: it already has my Delivered-To line. (#5.4.6)
mailbox_full | - | Recipient's mailbox is full, message returned to sender. (#5.2.2)
mailbox_full | - | user is over quota (#5.1.1)
message_too_large | data | 552 sorry, that message size exceeds my databytes limit (#5.3.4)
ip_blocked | connect | 553 sorry, your mail server has been administratively denied. (#5.7.1)
missing_ptr | rcpt | 421 Refused. You have no reverse DNS entry. Contact your sysadmin.
sender_rejected | mail | 553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)
sender_rejected | mail | 511 sorry, can't find a valid MX for sender domain (#5.1.1 - chkuser)
virus_detected | data | 554 mail server permanently rejected message (#5.3.0) virus found
system_error | data | 451 qq temporary problem (#4.3.0)
system_error | data | 451 qqt failure (#4.3.0)
system_error | data | 554 qq permanent problem (#5.3.0)
system_full | data | 452 qq write error or disk full (#4.3.0)
mailbox_disabled | rcpt | 550 account is locked (#5.1.1)
user_unknown | rcpt | 550 Unknown local part ada in <ada@example.org>
security_refused | rcpt | 505 sorry, authentication required (#5.7.1)
`,
  courier: `
user_unknown | rcpt | 550 User unknown.
user_unknown | rcpt | 550 <ada@example.org> User <ada@example.org> unknown.
mailbox_full | data | 552 User's mailbox is over quota
relaying_denied | rcpt | 513 Relaying denied.
ip_blocked | connect | 511 Blocked by zen.spamhaus.org
message_too_large | data | 523 Message length (12345678 bytes) exceeds administrative limit.
content_refused | data | 550 Improper use of 8-bit data in message headers.
domain_unknown | - | DNS lookup failure: nowhere.example. Try again later. No such domain.
`,
  opensmtpd: `
user_unknown | rcpt | 550 Invalid recipient: <ada@example.org>
recipient_filter | - | 524 5.2.4 Mailing list expansion problem: <ada@example.org>
sender_rejected | mail | 550 Invalid sender
ip_blocked | connect | 421 4.3.0 Filter says no: blacklisted
missing_ptr | connect | 550 go away: no rDNS
message_too_large | data | 554 5.3.4 Message too big for system
expired | - | Envelope expired
network_error | - | Loop detected
network_error | - | Network error on destination MXs
tls_failed | - | No MX found supporting TLS
domain_unknown | - | Could not find MX for domain: domain does not exist
`,
  "exchange on premises": `
user_unknown | - | #550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##
user_unknown | - | 550 5.1.4 RESOLVER.ADR.Ambiguous; ambiguous address
message_over_limit | - | 550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient
message_too_large | - | 550 5.3.4 ROUTING.SizeLimit; message size exceeds fixed maximum size for route
security_refused | - | 550 5.7.1 RESOLVER.RST.AuthRequired; authentication required
security_refused | - | 550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized
too_many_at_once | - | 550 5.5.3 RESOLVER.ADR.RecipLimit; too many recipients
network_error | - | 554 5.4.6 Hop count exceeded - possible mail loop
expired | - | #550 4.4.7 QUEUE.Expired; message expired ##
relaying_denied | rcpt | 550 5.7.1 Unable to relay for ada@example.org
sender_rejected | mail | 554 5.1.0 Sender Denied
spam_detected | data | 550 5.7.1 Message rejected as spam by Content Filtering.
bad_reputation | rcpt | 550 5.7.1 Message rejected due to poor reputation of the sending host
policy_refused | data | 550 5.7.1 TRANSPORT.RULES.RejectMessage; Delivery not authorized, message refused
domain_unknown | - | 550 5.4.4 ROUTING.NoConnectorForAddressType; unable to route for address type
user_unknown | - | The recipient name is not recognized. The MTS-ID of the original message is: c=US
system_full | mail | 452 4.3.1 Insufficient system resources
system_full | mail | 452 4.3.1 Insufficient system resources (UsedDiskSpace)
domain_takes_no_mail | connect | 421 4.3.2 System not accepting network messages
`,
  "exchange online": `
user_unknown | rcpt | 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
sender_rejected | - | 550 5.1.8 Access denied, bad outbound sender
rate_limited | - | 550 5.2.121 Recipient's per hour message receive limit from specific sender exceeded
domain_unknown | - | 550 5.4.310 DNS domain nowhere.example does not exist [Message=InfoDomainNonexistent]
expired | - | 550 5.4.300 Message expired -> 451 4.4.0 DNS query failed
expired | - | 550 5.4.316 Message expired, connection refused(Socket error code 10061)
network_error | - | 554 5.4.14 Hop count exceeded - possible mail loop ATTR1
security_refused | rcpt | 550 5.7.124 Sender not in allowed-senders list
security_refused | - | 550 5.7.57 Client was not authenticated to send anonymous mail during MAIL FROM
relaying_denied | rcpt | 550 5.7.64 TenantAttribution; Relay Access Denied
policy_refused | rcpt | 550 5.7.705 Access denied, tenant has exceeded threshold
ip_blocked | connect | 451 4.7.550 Access denied, please try again later
too_many_at_once | connect | 451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)
spam_detected | data | 550 5.7.501 Access denied, spam abuse detected from the IP address range
tls_failed | - | 451 4.7.323 tlsa-invalid: The domain failed DANE validation
tls_failed | - | 550 5.7.324 dnssec-invalid: Destination domain returned invalid DNSSEC records
`,
  gmail: `
not_compliant | data | 550-5.7.1 Messages with multiple addresses in From: header are not accepted.
message_too_large | data | 552-5.3.4 Your message exceeded Google's message size limits.
network_error | data | 554-5.4.6 Message exceeded 50 hops, this may indicate a mail loop.
security_refused | mail | 530-5.7.0 Authentication Required. Learn more at
system_error | mail | 421-4.3.0 Temporary System Problem.  Try again later.
ip_blocked | rcpt | 421 4.7.0 IP not in whitelist for RCPT domain, closing connection.
too_many_at_once | rcpt | 421 4.4.5 Server busy, try again later.
`,
  "yahoo and aol": `
mailbox_full | data | 552 1 Requested mail action aborted, mailbox not found: mailbox over quota
recipient_filter | data | 552 1 Requested mail action aborted, mailbox not found
not_compliant | data | 554 Message not allowed - Headers are not RFC compliant[291]
policy_refused | data | 554 5.7.9 Message not accepted for policy reasons.
authentication_failed | data | 554 5.7.5 Permanent Error Evaluating DMARC Policy.
user_unknown | rcpt | 550 5.1.1 <ada@example.org>: Recipient address rejected: example.org
user_unknown | rcpt | 550 MAILBOX NOT FOUND
mailbox_full | rcpt | 552 <ada@example.org>: Requested mail action aborted: MAILBOX FULL
ip_blocked | connect | 554 (RTR:BL) https://postmaster.example/error-codes 554 Connecting IP: 192.0.2.1
authentication_failed | data | 521 5.2.1 : AOL will not accept delivery of this message. DMARC failure
spam_detected | data | 554 5.7.1 : (HVU:B2) http://postmaster.example/error-codes#554hvub2
system_error | data | 451 4.3.2 Internal error reading data
rate_limited | rcpt | 450 User is receiving mail too quickly
too_many_at_once | mail | 421 Max message per connection reached, closing transmission channel
system_error | rcpt | 451 Resources temporarily unavailable. Please try again later [#4.16.5].
`,
  "outlook.com": `
user_unknown | rcpt | 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).
user_unknown | rcpt | 550 Requested action not taken: mailbox unavailable
mailbox_full | rcpt | 552 5.2.2 Requested mail action aborted: exceeded storage allocation
`,
  "iana registry": `
user_unknown | rcpt | 550 5.1.1 Bad destination mailbox address
user_unknown | rcpt | 550 5.1.4 Destination mailbox address ambiguous
domain_unknown | rcpt | 550 5.1.2 Bad destination system address
address_moved | rcpt | 550 5.1.6 Destination mailbox has moved, No forwarding address
sender_rejected | mail | 550 5.1.7 Bad sender's mailbox address syntax
sender_rejected | mail | 550 5.1.8 Bad sender's system address
system_error | - | 550 5.1.9 Message relayed to non-compliant mailer
domain_takes_no_mail | - | 550 5.1.10 Recipient address has null MX
mailbox_disabled | rcpt | 550 5.2.1 Mailbox disabled, not accepting messages
mailbox_full | rcpt | 550 5.2.2 Mailbox full
message_over_limit | data | 550 5.2.3 Message length exceeds administrative limit
recipient_filter | - | 550 5.2.4 Mailing list expansion problem
recipient_filter | data | 550 5.2.0 Other or undefined mailbox status
system_error | - | 550 5.3.0 Other or undefined mail system status
system_full | - | 550 5.3.1 Mail system full
domain_takes_no_mail | - | 550 5.3.2 System not accepting network messages
system_error | - | 550 5.3.3 System not capable of selected features
message_too_large | - | 550 5.3.4 Message too big for system
system_error | - | 550 5.3.5 System incorrectly configured
network_error | - | 550 5.4.0 Other or undefined network or routing status
expired | - | 450 4.4.1 No answer from host
network_error | - | 450 4.4.2 Bad connection
network_error | - | 450 4.4.3 Directory server failure
domain_unknown | - | 550 5.4.4 Unable to route
network_error | - | 550 5.4.6 Routing loop detected
expired | - | 450 4.4.7 Delivery time expired
syntax_error | - | 550 5.5.1 Invalid command
syntax_error | - | 550 5.5.2 Syntax error
too_many_at_once | - | 550 5.5.3 Too many recipients
syntax_error | - | 550 5.5.4 Invalid command arguments
content_refused | - | 550 5.6.0 Other or undefined media error
content_refused | - | 550 5.6.1 Media not supported
content_refused | - | 550 5.6.2 Conversion required and prohibited
content_refused | - | 550 5.6.3 Conversion required but not supported
content_refused | - | 550 5.6.5 Conversion failed
security_refused | - | 550 5.7.0 Other or undefined security status
security_refused | - | 550 5.7.1 Delivery not authorized, message refused
security_refused | - | 550 5.7.2 Mailing list expansion prohibited
security_refused | - | 550 5.7.4 Security features not supported
security_refused | - | 550 5.7.7 Message integrity failure
security_refused | - | 550 5.7.8 Authentication credentials invalid
security_refused | - | 550 5.7.9 Authentication mechanism is too weak
tls_failed | - | 550 5.7.10 Encryption needed
mailbox_disabled | - | 525 5.7.13 User account disabled
security_refused | - | 550 5.7.14 Trust relationship required
address_moved | - | 550 5.7.17 Mailbox owner has changed
authentication_failed | - | 550 5.7.20 No passing DKIM signature found
authentication_failed | - | 550 5.7.21 No acceptable DKIM signature found
authentication_failed | - | 550 5.7.23 SPF validation failed
authentication_failed | - | 450 4.7.24 SPF validation error
missing_ptr | - | 550 5.7.25 Reverse DNS validation failed
authentication_failed | - | 550 5.7.26 Multiple authentication checks failed
domain_takes_no_mail | - | 550 5.7.27 Sender address has null MX
rate_limited | - | 550 5.7.28 Mail flood detected
authentication_failed | - | 550 5.7.29 ARC validation failure
tls_failed | - | 550 5.7.30 REQUIRETLS support required
`,
};
