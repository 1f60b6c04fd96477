/**
 * These are replies of servers that refuse a mail in session, for the tests of this folder. Each has the kind of bounce,
 * whom it is about, and the phase. They are short replies and known forms of them, with addresses of our own.
 */
export const sampleRejections: Readonly<Record<string, string>> = {
  exim: `
block either rcpt | 550 relay not permitted
block either rcpt | 550-Please turn on SMTP Authentication in your mail client. 550-mail.example.net [192.0.2.1]:58812 is not permitted to relay through this server without authentication.
block either rcpt | 550 Administrative prohibition
block either rcpt | 550 authentication required
block either rcpt | 550-Verification failed for <news@example.net> 550-No Such User Here 550 Sender verify failed
block either rcpt | 550-Callback setup failed while verifying <news@example.net> 550 Sender verify failed
block either rcpt | 550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org
block either rcpt | 550 Restricted characters in address
block us mail | 550 Sender verify failed
hard either rcpt | 550 Unrouteable address
hard message rcpt | 550 No Such User Here
hard message rcpt | 550 Unknown user
block either rcpt | 550-Callout verification failed: 550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown
soft message rcpt | 550 Mailbox quota exceeded
block either dot | 550 This message was classified as SPAM and may not be delivered
block either dot | 550 Message contains malware (Eicar-Test-Signature)
soft either dot | 552 Message size exceeds maximum permitted
`,
  postfix: `
block either rcpt | 554 5.7.1 <ada@example.org>: Relay access denied
block either rcpt | 554 <ada@example.org>: Relay access denied
block either rcpt | 554 5.7.1 <ada@example.org>: Recipient address rejected: Access denied
block either rcpt | 554 <ada@example.org>: Recipient address rejected: Access denied
block either rcpt | 554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied
block either rcpt | 550 5.7.1 Client host rejected: cannot find your hostname, [192.0.2.1]
block either rcpt | 504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname
block either rcpt | 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org
block either rcpt | 550 5.1.1 <news@example.net>: Sender address rejected: User unknown in virtual mailbox table
block either rcpt | 550 5.1.8 <news@example.net>: Sender address rejected: Domain not found
block either rcpt | 550 5.1.0 <news@example.net>: Sender address rejected: User unknown in relay recipient table
block either rcpt | 553 5.7.1 <news@example.net>: Sender address rejected: not owned by user bulk
block us mail | 550 5.1.0 <news@example.net>: Sender address rejected: User unknown
hard message rcpt | 550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown in local recipient table
hard message rcpt | 550 <ada@example.org>: Recipient address rejected: User unknown in virtual alias table
hard message rcpt | 550 5.1.1 <ada@example.org>: Recipient address rejected: undeliverable address: host mx.example.org said: 550 no such user
hard message rcpt | 550 5.1.2 <ada@nowhere.example>: Recipient address rejected: Domain not found
hard message rcpt | 556 5.1.10 <ada@example.org>: Recipient address rejected: Domain example.org does not accept mail (nullMX)
soft message rcpt | 552 5.2.2 <ada@example.org>: Recipient address rejected: Mailbox full
soft either mail | 552 5.3.4 Message size exceeds fixed limit
block either dot | 550 5.7.1 Spam message rejected
block either rcpt | 554 5.7.1 <ada@example.org>: Recipient address rejected: Policy rejection not logged in
`,
  sendmail: `
block either rcpt | 550 5.7.1 <ada@example.org>... Relaying denied
block either rcpt | 550 <ada@example.org>... Relaying denied
block either rcpt | 550 5.7.1 <ada@example.org>... Relaying denied. IP name lookup failed [192.0.2.1]
block either rcpt | 550 5.7.1 <ada@example.org>... Relaying denied. Proper authentication required.
block either rcpt | 553 5.1.8 <ada@example.org>... Domain of sender address news@example.net does not exist
block us mail | 501 5.1.8 Domain of sender address news@example.net does not exist
block either rcpt | 550 5.0.0 Access denied
hard message rcpt | 550 5.1.1 <ada@example.org>... User unknown
hard message rcpt | 550 <ada@example.org>... User unknown
hard message rcpt | 550 5.1.2 <ada@nowhere.example>... Host unknown (Name server: nowhere.example: host not found)
soft message rcpt | 550 5.2.2 <ada@example.org>... Mailbox is full
soft either dot | 552 5.3.4 Message is too large; 10000000 bytes max
soft either dot | 554 5.3.0 unknown mailer error 1
`,
  "qmail and kin": `
block either rcpt | 553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)
block either rcpt | 553 sorry, that domain isn't in my list of allowed rcpthosts
block either rcpt | 553 sorry, that domain isn't in my list of allowed rcpthosts; no valid cert for gatewaying (#5.7.1)
block either rcpt | 553 sorry, your mail server has been administratively denied. (#5.7.1)
block either rcpt | 505 sorry, authentication required (#5.7.1)
block us mail | 553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)
block us mail | 511 sorry, can't find a valid MX for sender domain (#5.1.1 - chkuser)
hard message rcpt | 550 sorry, no mailbox here by that name. (#5.1.1)
hard message rcpt | 511 sorry, no mailbox here by that name (#5.1.1 - chkuser)
hard message rcpt | 550 sorry, no mailbox here by that name
soft message rcpt | 552 sorry, user is over quota (#5.2.2)
soft either dot | 552 sorry, that message size exceeds my databytes limit (#5.3.4)
soft either dot | 554 qq permanent problem (#5.3.0)
`,
  "courier, opensmtpd, haraka, stalwart, maddy": `
block either rcpt | 513 Relaying denied.
block either rcpt | 550 550 Invalid relay: relaying denied
block either rcpt | 550 I cannot deliver mail for ada@example.org
block either rcpt | 550 5.1.2 Relay not allowed.
block either rcpt | 550 5.7.1 Relay not allowed
hard message rcpt | 550 User unknown.
hard message rcpt | 550 Invalid recipient: <ada@example.org>
hard message rcpt | 550 5.1.2 Mailbox does not exist.
hard message rcpt | 501 5.1.1 User doesn't exist
soft message dot | 552 User's mailbox is over quota
`,
  exchange: `
block either rcpt | 550 5.7.1 Unable to relay
block either rcpt | 550 Unable to relay for ada@example.org
block either rcpt | 550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain
block either rcpt | 530 5.7.57 SMTP; Client was not authenticated to send anonymous mail during MAIL FROM
block either dot | 550 5.7.60 SMTP; Client does not have permissions to send as this sender
block either dot | 550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy
hard message rcpt | 550 5.1.1 User unknown
hard message rcpt | 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.org not found by SMTP address lookup
soft message dot | 550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient
soft message dot | 550 5.2.2 STOREDRV.Deliver; mailbox full
`,
  "exchange online": `
hard message rcpt | 550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [AM5EUR03FT012.eop-EUR03.prod.protection.outlook.com]
hard message rcpt | 550 5.4.1 [ada@example.org]: Recipient address rejected: Access denied
hard message rcpt | 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
block either rcpt | 550 5.7.64 TenantAttribution; Relay Access Denied SMTP
block either rcpt | 550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/
block either rcpt | 550 5.7.511 Access denied, banned sender[192.0.2.1]. To request removal from this list please forward this message
block either rcpt | 550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP.
block either rcpt | 550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus.
block either dot | 550 5.7.509 Access denied, sending domain example.net does not pass DMARC verification
block either dot | 550 5.7.515 Access denied, sending domain example.net doesn't meet the required authentication level.
block either dot | 550 5.7.705 Access denied, tenant has exceeded threshold
block either dot | 550 5.1.8 Access denied, bad outbound sender AS(42004)
block either dot | 550 5.7.750 Service unavailable. Client blocked from sending from unregistered domains.
soft message rcpt | 554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded
`,
  "outlook.com": `
soft either rcpt | 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).
soft either rcpt | 550 Requested action not taken: mailbox unavailable
soft message rcpt | 552 5.2.2 Requested mail action aborted: exceeded storage allocation
block us mail | 550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).
`,
  gmail: `
hard message rcpt | 550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces. gsmtp
hard message rcpt | 550 5.1.1 The email account that you tried to reach does not exist.
soft message rcpt | 552-5.2.2 The recipient's inbox is out of storage space and inactive. Please direct the recipient to https://support.example/mail
soft message rcpt | 550-5.2.1 The email account that you tried to reach is inactive.
soft message rcpt | 550-5.2.1 The email account that you tried to reach is disabled.
block either dot | 550-5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.
block either dot | 550-5.7.1 Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked.
block either dot | 550-5.7.1 [192.0.2.1] Our system has detected an unusual rate of unsolicited mail originating from your IP address.
block either rcpt | 550-5.7.25 The IP address sending this message does not have a PTR record setup
block either rcpt | 550-5.7.1 [192.0.2.1] The IP you're using to send mail is not authorized to send email directly to our servers. Please use the SMTP relay at your service provider instead.
block either rcpt | 550-5.7.0 Mail relay denied [192.0.2.1]. Invalid credentials for relay for one of the domains in: example.net
block either rcpt | 550-5.7.1 Invalid credentials for relay [192.0.2.1]. The IP address you've registered in your Workspace SMTP Relay service doesn't match the domain of the account
block either dot | 550-5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to the help page
block either rcpt | 530-5.7.0 Authentication Required. For more information, go to the help page gsmtp
soft either dot | 552-5.3.4 Your message exceeded Google's message size limits.
block either dot | 552-5.7.0 This message was blocked because its content presents a potential security issue.
`,
  "yahoo and aol": `
hard message dot | 554 delivery error: dd This user doesn't have a yahoo.example account (ada@yahoo.example) [0]
hard message rcpt | 554 delivery error: dd Requested mail action aborted: mailbox not found
hard message rcpt | 550 5.1.1 <ada@aol.example>: Recipient address rejected: aol.example
soft message dot | 552 1 Requested mail action aborted, mailbox not found: mailbox over quota
soft message dot | 554 30 Sorry, your message to ada@yahoo.example cannot be delivered. This mailbox is disabled (554.30).
block us mail | 553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list
block us mail | 553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed.
block either dot | 554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.example/error-codes
block either dot | 554 Message not allowed - [PH01] Email not accepted for policy reasons.
`,
  icloud: `
hard message rcpt | 550 5.1.1 <ada@icloud.example>: user does not exist
hard message rcpt | 550 5.1.6 <ada@icloud.example>: recipient no longer on server
soft message rcpt | 552 5.2.2 <ada@icloud.example>: user is over quota
soft message rcpt | 550 5.2.1 <ada@icloud.example>: inactive email address
block either dot | 554 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.example
block either dot | 550 5.7.1 [HME1] Message rejected due to local policy.
`,
  "gmx, web.de, t-online, 1&1": `
soft either rcpt | 550 Requested action not taken: mailbox unavailable
hard message rcpt | 550 5.1.1 user unknown
block either rcpt | 550 Requested action not taken: mailbox unavailable For explanation visit https://postmaster.gmx.example/en/error-messages?ip=192.0.2.1&c=hi
block either dot | 554 Transaction failed Reject due to policy restrictions. For explanation visit https://postmaster.gmx.example/en/case?c=r0601&i=ip&v=192.0.2.1
block us mail | 550 Requested action not taken: mailbox unavailable Sender address is not allowed.
block either dot | 550 5.7.0 Message considered as spam or virus, rejected
block us greeting | 554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.example to clarify.)
soft message rcpt | 552 5.2.2 Quota exceeded (mailbox for user is full)
`,
  "orange, free, sfr, laposte": `
hard message rcpt | 550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]
soft message rcpt | 552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]
block either rcpt | 550 5.2.0 Mail rejete. Mail rejected. OFR_506 [506]
block either rcpt | 550 spam detected: see http://postmaster.free.example/
hard message rcpt | 550 5.1.1 Adresse inconnue / unknown address
soft either rcpt | 550 5.5.0 Service refuse. Veuillez essayer plus tard. service refused, please try later. LPN007_510
`,
  "mail.ru and yandex": `
hard message rcpt | 550 Message was not accepted -- invalid mailbox. Local mailbox ada@mail.example is unavailable: user not found
hard either rcpt | 550 5.7.1 No such user!
soft message rcpt | 550 Message was not accepted -- invalid mailbox. Local mailbox ada@mail.example is unavailable: account is disabled
block either dot | 550 spam message rejected. Please visit http://help.mail.example/notspam-support or report details
block either dot | 554 5.7.1 Message rejected under suspicion of SPAM; https://ya.cc/1IrBc
block us mail | 553 5.7.1 Sender address rejected: not owned by auth user.
block either rcpt | 550 5.7.1 Relaying denied
block us mail | 550 Sender verification is failed. Sender account not exists <news@example.net>
`,
  "qq, netease, naver, daum": `
hard message rcpt | 550 Mailbox not found. http://service.mail.qq.example/cgi-bin/help?subtype=1&&no=1000728
hard message rcpt | 550 User not found: ada@163.example
hard message rcpt | 550 5.1.1 No such recipient here - nsmtp
block either dot | 550 Mail content denied. http://service.mail.qq.example/cgi-bin/help?subtype=1&&id=20022
block either rcpt | 550 Ip frequency limited. http://service.mail.qq.example/cgi-bin/help?subtype=1
block either rcpt | 550 Domain frequency limited
block either dot | 554 DT:SPM 163 smtp1,zenLAKBLZ8WQ http://mail.163.example/help/help_spam_16.htm
block either rcpt | 550 MI:SPF mx14 http://mail.163.example/help/help_spam_16.htm
soft message rcpt | 550 User suspended, http://service.mail.qq.example/cgi-bin/help
soft message rcpt | 550 5.2.1 Dormant account - nsmtp
`,
  "mimecast, barracuda, proofpoint, ironport, messagelabs, sophos": `
hard message rcpt | 550 Invalid Recipient - https://community.mimecast.example/docs/DOC-1369#550
hard message rcpt | 550 permanent failure for one or more recipients (ada@example.org:550 No such user)
hard message rcpt | 550 5.1.1 <ada@example.org>... User unknown
hard message rcpt | 550 5.1.1 User Unknown
hard message rcpt | 550 #5.1.0 Address rejected.
hard message rcpt | 550-Invalid recipient <ada@example.org> (#5.1.1)
hard message rcpt | 550 [XGEMAIL_0008] Command rejected: recipient does not exist
block either rcpt | 550 Administrative prohibition - envelope blocked - https://community.mimecast.example/docs/DOC-1369#550
block either rcpt | 550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.example/docs/DOC-1369#550
block either rcpt | 550 Rejected by header based Anti-Spoofing policy: news@example.net
block either dot | 554 Email rejected due to security policies - https://community.mimecast.example/docs/DOC-1369#554
block either dot | 554 rejected due to spam content
block either rcpt | 554 Service unavailable; Client host [d123.ess.barracuda.example] blocked using Barracuda Reputation; http://www.barracudanetworks.example/reputation/?r=1&ip=192.0.2.1
block either rcpt | 550 cuda_nsu: relaying denied
block either rcpt | 550 5.7.1 <ada@example.org>... Relaying denied
block us greeting | 554 Blocked - see https://ipcheck.proofpoint.example/?ip=192.0.2.1
block either rcpt | 550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.
block either rcpt | 550 #5.7.1 Relaying denied
block us greeting | 554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.
block either rcpt | 550-Mail rejected by Windows Live Hotmail for policy reasons.
block either rcpt | 553-mail rejected because your IP is in the PBL. See http://www.spamhaus.org/pbl
block either dot | 501 Connection rejected by policy [7.7] 20304
`,
  "amazon ses": `
block either dot | 554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: news@example.net
block either dot | 554 Message rejected: Sending suspended for this account. For more information, please check the inbox
block either dot | 554 Access denied: User 'arn:aws:iam::123456789012:user/smtp' is not authorized to perform 'ses:SendRawEmail' on resource
block us auth | 535 Authentication Credentials Invalid
block us mail | 530 Authentication required
soft either dot | 554 Transaction failed: Missing final '@domain'
block either dot | 554 Transaction failed: Invalid domain name: 'example'
`,
  "sendgrid, mailgun, postmark, sparkpost, brevo, mailjet": `
block either dot | 550 The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.
block either rcpt | 550 Unauthenticated senders not allowed
block us auth | 535 Authentication failed: account disabled
block us mail | 550 Unauthenticated senders not allowed
block either rcpt | 554 5.7.1 <ada@example.org>: Relay access denied
block either dot | 550 5.7.1 Relaying denied
block either dot | 554 Domain example.net is not allowed to send: The domain is unverified and requires DNS configuration. Log in to your control panel to view required DNS records.
block either dot | 554 Domain sandbox123.mailgun.example is not allowed to send: Free accounts are for test purposes only. Please add the address to authorized recipients.
block either dot | 550 5.7.1 The 'From' address you supplied (news@example.net) is not a Sender Signature on your account.
block either dot | 550 5.7.1 Unconfigured Sending Domain <example.net>
block either dot | 550 5.7.1 Sender address <news@example.net> rejected: not a valid sender
block us mail | 525 5.7.1 Unauthorized IP address
soft either rcpt | 554 5.7.1 recipient address was suppressed due to customer policy
soft message rcpt | 605 Not delivering to previously bounced address: recipient is on the suppression list
block either rcpt | 550 5.7.0 Your account is not allowed to send: sending quota exceeded
`,
  "hosting panels and desktop servers": `
block either rcpt | 530 SMTP authentication is required.
block either rcpt | 550 Delivery is not allowed to this address.
block either rcpt | 503 This mail server requires authentication when attempting to send to a non-local e-mail address. Please check your mail client settings or contact your administrator to verify that the domain or address is defined for this server.
block either rcpt | 550 Requested action not taken: Authentication is required for relay
block either rcpt | 550 not local host example.org, not a gateway
block either rcpt | 551 This mail server requires authentication before sending mail from a locally hosted domain. Please reconfigure your mail client to authenticate before sending mail.
block either rcpt | 550 Recipient not in route list.
block either rcpt | 550 You must be authenticated to relay
block either rcpt | 554 Sorry, no relaying for strangers
block either rcpt | 571 Delivery not authorized, message refused
block either rcpt | 550 Domain example.net has exceeded the max emails per hour (150/150 (100%)) allowed. Message discarded.
block either rcpt | 550 Outgoing mail from news@example.net has been suspended
hard message rcpt | 550 ada@example.org No such user here
hard message rcpt | 550 <ada@example.org>, Recipient unknown
hard message rcpt | 550 Account not found
hard message rcpt | 551 User has moved; please try <ada@example.com>
soft message rcpt | 552 Mailbox is full
soft message rcpt | 550 Mailbox for ada@example.org is disabled
`,
  "words that fit an absent recipient, and mean us": `
block either rcpt | 550 unknown host, access denied
block either rcpt | 550 Sender account not found
block either rcpt | 550 The sender's account does not exist
block either rcpt | 550 sending address not recognized
block either rcpt | 550 domain not found in relay list
block either rcpt | 550 host not found in whitelist
block either rcpt | 550 IP address not found in our allow list
block either rcpt | 550 Invalid user or password
block either rcpt | 550 5.7.1 account closed, contact billing
block either rcpt | 550 we do not accept mail for external recipients
block either rcpt | 550 5.1.2 We don't handle mail for that domain
block either rcpt | 521 5.3.2 This machine does not accept mail
block either rcpt | 554 Sorry, your domain is unknown to us
block either rcpt | 550 relay user unknown
block either rcpt | 550 invalid recipient domain for this relay
block either rcpt | 550 Not a valid user of this relay
block either rcpt | 553 Requested action not taken: mailbox name not allowed
hard message rcpt | 550 <relay@your-domain.example>: no such user
hard message rcpt | 553 5.3.0 <ada@example.org>... Addressee unknown, relay=[192.0.2.1]
hard message rcpt | 550 <ada@example.org>: Recipient address rejected: User unknown in relay recipient table
`,
  "greylists and limits that say 5xx": `
block either rcpt | 550 5.7.1 Greylisted, please try again in 300 seconds
block either rcpt | 554 5.7.1 Too many messages from your IP, slow down
block either rcpt | 550 rate limit exceeded
block either rcpt | 550 5.7.28 Mail flood detected
block either rcpt | 554 too many connections
soft either rcpt | 550 5.4.7 Delivery expired
soft either rcpt | 550 5.3.5 System incorrectly configured
soft either rcpt | 554 Transaction failed: server error
`,
  "what nobody understands": `
block either rcpt | 550 no
block either rcpt | 550 Rejected
block either rcpt | 550 Access denied
block either rcpt | 554 5.0.0 Go away
block either rcpt | 550 Qapla'
soft either rcpt | 500
block either dot | 554 no thanks
soft either data | 554 5.5.0 not today
block us mail | 550 no
block us ehlo | 550 no
`,
  "those that mean us, with the words for an absent user": `
block either rcpt | 550 5.7.1 Requested action not taken: mailbox unavailable
block either rcpt | 550 Requested action not taken: mailbox unavailable invalid DNS MX or A/AAAA resource record
block either rcpt | 550 Absenderadresse unbekannt
block either rcpt | 550 Adresse ungültig: Absender nicht autorisiert
block either rcpt | 550 Adresse d'expéditeur inconnue
block either rcpt | 550 Expéditeur inconnu: adresse invalide
block either rcpt | 550 Dirección del remitente: usuario no existe
block either rcpt | 550 Indirizzo del mittente: utente sconosciuto
block either rcpt | 550 Afzender: onbekende gebruiker, user unknown
block either rcpt | 550 Adres nadawcy nie istnieje: user unknown
block either rcpt | 550 адрес отправителя не найден
block either rcpt | 550 发件人地址不存在
block either rcpt | 550 发信人邮箱不存在
block either rcpt | 550 アカウントが存在しません 送信者
block either rcpt | 550 mailbox not found for sender
block either rcpt | 550 5.7.1 address not in list of permitted senders
block either rcpt | 550 user not authenticated; account not found
block either rcpt | 550 SMTP account does not exist
block either rcpt | 550 Bounce address not found
block either rcpt | 550 envelope address invalid
block either rcpt | 550 5.1.1 unknown or illegal user: envelope from
block either rcpt | 550 return path address does not exist
block either rcpt | 550 From address not found
block either rcpt | 550 cannot verify sender address; no such user
hard either rcpt | 550 Host unknown
hard either rcpt | 550 Unknown domain
`,
  "those that mean our account": `
block either rcpt | 550 Your account has been suspended
block either rcpt | 550 5.2.1 Your account is disabled
block either rcpt | 550 Your trial account is expired
block either rcpt | 550 Account suspended for sending spam
block either rcpt | 550 This account does not have an active plan; account expired
block either rcpt | 550 Ihr Konto ist gesperrt
block either rcpt | 550 Ihr Postfach wurde wegen Spamversands gesperrt
block either rcpt | 550 Compte suspendu pour envoi de spam
block either rcpt | 550 Cuenta suspendida por falta de pago
block either dot | 552 5.2.2 You have exceeded your sending quota
soft either dot | 552 quota exceeded
soft either rcpt | 550 Account suspended
soft message rcpt | 552 5.2.2 quota exceeded
soft message rcpt | 550 This mailbox is suspended
`,
};
