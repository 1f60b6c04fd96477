/**
 * Services that send mail for many, by the names of their servers. A name counts only where it leads back to the address, since
 * whoever has an address may give it any name.
 */
type Service = { readonly key: string; readonly name: string; readonly suffixes: readonly string[] };

const SERVICES: readonly Service[] = [
  { key: "google_workspace", name: "Google Workspace", suffixes: ["google.com", "1e100.net"] },
  { key: "microsoft_365", name: "Microsoft 365", suffixes: ["outlook.com", "office365.com", "hotmail.com"] },
  { key: "amazon_ses", name: "Amazon SES", suffixes: ["amazonses.com"] },
  { key: "sendgrid", name: "SendGrid", suffixes: ["sendgrid.net", "sendgrid.com"] },
  { key: "mailgun", name: "Mailgun", suffixes: ["mailgun.net", "mailgun.org", "mailgun.co"] },
  {
    key: "mailchimp",
    name: "Mailchimp",
    suffixes: ["mcsv.net", "mcdlv.net", "rsgsv.net", "mandrillapp.com", "mailchimp.com"],
  },
  { key: "brevo", name: "Brevo", suffixes: ["sendinblue.com", "brevo.com", "mailin.fr"] },
  { key: "postmark", name: "Postmark", suffixes: ["mtasv.net", "postmarkapp.com"] },
  { key: "sparkpost", name: "SparkPost", suffixes: ["sparkpostmail.com"] },
  { key: "mailjet", name: "Mailjet", suffixes: ["mailjet.com"] },
  { key: "mailerlite", name: "MailerLite", suffixes: ["mlsend.com", "mailerlite.com"] },
  { key: "constant_contact", name: "Constant Contact", suffixes: ["constantcontact.com", "confirmedcc.com"] },
  { key: "hubspot", name: "HubSpot", suffixes: ["hubspotemail.net", "hubspot.com"] },
  { key: "salesforce", name: "Salesforce", suffixes: ["exacttarget.com", "salesforce.com"] },
  { key: "klaviyo", name: "Klaviyo", suffixes: ["klaviyomail.com"] },
  { key: "zendesk", name: "Zendesk", suffixes: ["zendesk.com", "zdsys.com"] },
  { key: "zoho", name: "Zoho", suffixes: ["zoho.com", "zoho.eu", "zohomail.com"] },
  { key: "fastmail", name: "Fastmail", suffixes: ["messagingengine.com"] },
  { key: "proton", name: "Proton Mail", suffixes: ["protonmail.ch", "proton.ch"] },
  { key: "icloud", name: "iCloud Mail", suffixes: ["apple.com", "icloud.com", "me.com"] },
  { key: "yahoo", name: "Yahoo", suffixes: ["yahoo.com", "yahoo.net", "yahoodns.net"] },
  { key: "mimecast", name: "Mimecast", suffixes: ["mimecast.com", "mimecast.co.za"] },
  { key: "proofpoint", name: "Proofpoint", suffixes: ["pphosted.com", "ppe-hosted.com"] },
  { key: "ionos", name: "IONOS", suffixes: ["kundenserver.de", "perfora.net"] },
  { key: "ovh", name: "OVHcloud", suffixes: ["mail.ovh.net", "mail-out.ovh.net"] },
];

const bySuffix = new Map(SERVICES.flatMap(({ key, suffixes }) => suffixes.map((suffix) => [suffix, key])));
const names = new Map(SERVICES.map(({ key, name }) => [key, name]));

/** Returns the key of the service whose server has this name. */
export function serviceOf(host: string): string | undefined {
  for (let at = 0; at >= 0; at = host.indexOf(".", at) + 1 || -1) {
    const found = bySuffix.get(host.slice(at));
    if (found !== undefined) return found;
  }
  return undefined;
}

export function serviceName(key: string): string {
  return names.get(key) ?? key;
}
