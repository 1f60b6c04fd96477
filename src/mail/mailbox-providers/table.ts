/**
 * Who keeps the world's mailboxes: their own domains, and the names of the servers that take mail for them and for their customers' domains.
 * Gathered in November 2026, from what MX records have been for years. `source` is where a provider tells its customers which to set, or
 * where others have published what they found. Of the providers' pages only Microsoft's and Cloudflare's were read, as their sources on
 * GitHub have them; the table of mxsniff was read whole, and holds what the rows say that name it, though not each of their names. Rows
 * without a source name servers in the provider's own domains alone.
 */
export type MailboxProvider = {
  readonly key: string;
  readonly name: string;
  /** Domains in which the provider itself gives out addresses. */
  readonly domains: readonly string[];
  /** A server belongs to the provider where its name is one of these, or ends in a dot and one of these. */
  readonly mx: readonly string[];
  /** Where the provider, or somebody who looked, says so. */
  readonly source?: string;
};

/** A table of MX names that is gathered from the DNS, of 2023-02-06. */
const MXSNIFF =
  "https://github.com/jace/mxsniff/blob/ec26e90b42d8c81f1e6370ce568a7012a5b08ac1/mxsniff/providers.py";
/** Published answers of the DNS and headers of public mailing lists, found by searching GitHub for the name on 2026-11-19. */
const seenAs = (name: string) => `https://github.com/search?type=code&q=${encodeURIComponent(name)}`;

const spread = (name: string, endings: string) => endings.split(" ").map((ending) => `${name}.${ending}`);
const words = (text: string) => text.split(" ");

export const MAILBOX_PROVIDERS: readonly MailboxProvider[] = [
  {
    key: "google",
    name: "Gmail and Google Workspace",
    domains: ["gmail.com", "googlemail.com"],
    mx: ["google.com", "googlemail.com"],
    source: "https://support.google.com/a/answer/174125",
  },
  {
    key: "microsoft",
    name: "Outlook.com",
    domains: [
      ...spread(
        "outlook",
        "com fr de it es be at dk ie pt cz hu sk in co.il co.id co.th com.ar com.au com.br com.gr com.tr com.vn jp kr sa ph my sg cl lv",
      ),
      ...spread(
        "hotmail",
        "com fr de it es be nl ch se no dk fi gr ca co.uk co.jp co.kr co.il co.in co.id co.nz co.th co.za com.ar com.au com.br com.hk " +
          "com.tr com.tw com.vn com.mx cl cz hu sg my ph lv lt rs sk",
      ),
      ...spread(
        "live",
        "com fr de it be nl at ch se no dk fi ie ca cn jp in hk ru co.uk co.kr co.za com.ar com.au com.mx com.my com.pt com.ph com.sg cl",
      ),
      ...words("msn.com windowslive.com passport.com"),
    ],
    mx: ["olc.protection.outlook.com", "hotmail.com"],
    source: MXSNIFF,
  },
  {
    key: "microsoft365",
    name: "Microsoft 365",
    domains: [],
    mx: ["protection.outlook.com", "mx.microsoft", "protection.outlook.de", "protection.office365.us"],
    source: "https://learn.microsoft.com/microsoft-365/enterprise/external-domain-name-system-records",
  },
  {
    key: "yahoo",
    name: "Yahoo and AOL",
    // Yahoo Japan (yahoo.co.jp) is another company's.
    domains: [
      ...spread(
        "yahoo",
        "com ca fr de it es ie at be ch cz dk fi gr hu nl no pl pt ro se in co.uk co.in co.id co.nz co.th co.za co.kr co.il com.ar " +
          "com.au com.br com.co com.hk com.mx com.my com.pe com.ph com.sg com.tr com.tw com.vn com.cn",
      ),
      ...words(
        "ymail.com rocketmail.com myyahoo.com aol.com aol.co.uk aol.fr aol.de aol.it aim.com netscape.net verizon.net",
      ),
    ],
    mx: ["yahoodns.net", "yahoo.com", "aol.com"],
    source: MXSNIFF,
  },
  {
    key: "apple",
    name: "iCloud",
    domains: ["icloud.com", "me.com", "mac.com", "privaterelay.appleid.com"],
    mx: ["mail.icloud.com", "apple.com"],
    source: "https://support.apple.com/102374",
  },
  {
    key: "gmx",
    name: "GMX, WEB.DE and mail.com",
    domains: words(
      "gmx.de gmx.net gmx.at gmx.ch gmx.com gmx.fr gmx.co.uk gmx.us gmx.eu web.de mail.com email.com caramail.com",
    ),
    mx: ["gmx.net", "web.de", "mail.com"],
    source: MXSNIFF,
  },
  {
    key: "ionos",
    name: "IONOS",
    domains: ["online.de", "onlinehome.de"],
    mx: [
      "ionos.de",
      "ionos.com",
      "ionos.co.uk",
      "ionos.fr",
      "ionos.es",
      "ionos.it",
      "kundenserver.de",
      "1and1.com",
    ],
    source: "https://www.ionos.com/help/domains/configuring-mail-servers-and-other-related-records/",
  },
  {
    key: "telekom",
    name: "Telekom (T-Online)",
    domains: ["t-online.de", "magenta.de"],
    mx: ["t-online.de"],
  },
  {
    key: "orange",
    name: "Orange",
    domains: ["orange.fr", "wanadoo.fr", "voila.fr"],
    mx: ["orange.fr", "wanadoo.fr"],
  },
  { key: "free", name: "Free", domains: ["free.fr", "aliceadsl.fr", "libertysurf.fr"], mx: ["free.fr"] },
  {
    key: "sfr",
    name: "SFR",
    domains: ["sfr.fr", "neuf.fr", "cegetel.net", "club-internet.fr"],
    mx: ["sfr.fr"],
  },
  { key: "laposte", name: "La Poste", domains: ["laposte.net"], mx: ["laposte.net"] },
  {
    key: "italiaonline",
    name: "Libero and Virgilio",
    domains: ["libero.it", "virgilio.it", "iol.it", "inwind.it", "blu.it", "giallo.it"],
    mx: ["libero.it", "virgilio.it", "italiaonline.it"],
  },
  {
    key: "seznam",
    name: "Seznam",
    domains: ["seznam.cz", "email.cz", "post.cz", "spoluzaci.cz"],
    mx: ["seznam.cz"],
  },
  { key: "wp", name: "WP and o2.pl", domains: ["wp.pl", "o2.pl", "tlen.pl"], mx: ["wp.pl", "o2.pl"] },
  {
    key: "onet",
    name: "Onet",
    domains: ["onet.pl", "op.pl", "vp.pl", "poczta.onet.pl", "onet.eu"],
    mx: ["onet.pl"],
  },
  {
    key: "btinternet",
    name: "BT",
    domains: ["btinternet.com", "btopenworld.com", "talk21.com"],
    mx: ["btinternet.com", "bt.com"],
  },
  { key: "comcast", name: "Comcast", domains: ["comcast.net", "xfinity.com"], mx: ["comcast.net"] },
  {
    key: "charter",
    name: "Charter (Spectrum)",
    domains: ["charter.net", "spectrum.net", "rr.com", "roadrunner.com", "twc.com"],
    mx: ["charter.net", "rr.com"],
  },
  { key: "cox", name: "Cox", domains: ["cox.net"], mx: ["cox.net"] },
  {
    key: "att",
    name: "AT&T",
    domains: words(
      "att.net sbcglobal.net bellsouth.net pacbell.net ameritech.net swbell.net prodigy.net flash.net",
    ),
    mx: ["prodigy.net", "att.net"],
    source: MXSNIFF,
  },
  {
    key: "proton",
    name: "Proton",
    domains: ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"],
    mx: ["protonmail.ch"],
    source: "https://proton.me/support/custom-domain",
  },
  {
    key: "fastmail",
    name: "Fastmail",
    domains: ["fastmail.com", "fastmail.fm"],
    mx: ["messagingengine.com"],
    source: "https://www.fastmail.help/hc/en-us/articles/1500000280261",
  },
  {
    key: "zoho",
    name: "Zoho",
    domains: ["zoho.com", "zohomail.com", "zohomail.eu", "zoho.eu"],
    mx: words("zoho.com zoho.eu zoho.in zoho.com.au zoho.jp zohomail.com zohomail.eu"),
    source: "https://www.zoho.com/mail/help/adminconsole/configure-email-delivery.html",
  },
  {
    key: "yandex",
    name: "Yandex",
    domains: ["yandex.ru", "yandex.com", "ya.ru", "yandex.by", "yandex.kz", "yandex.ua"],
    mx: ["yandex.ru", "yandex.net"],
    source: MXSNIFF,
  },
  {
    key: "mailru",
    name: "Mail.ru",
    domains: ["mail.ru", "bk.ru", "inbox.ru", "list.ru", "internet.ru"],
    mx: ["mail.ru"],
  },
  {
    key: "qq",
    name: "QQ and Tencent Exmail",
    domains: ["qq.com", "foxmail.com", "vip.qq.com"],
    mx: ["qq.com"],
    source: MXSNIFF,
  },
  {
    key: "netease",
    name: "NetEase",
    domains: ["163.com", "126.com", "yeah.net", "188.com", "vip.163.com"],
    mx: ["netease.com", "163.com"],
    source: seenAs("mxmail.netease.com"),
  },
  {
    key: "alibaba",
    name: "Alibaba Mail",
    domains: ["aliyun.com"],
    mx: ["mxhichina.com", "aliyun.com"],
    source: seenAs("mxhichina.com"),
  },
  { key: "naver", name: "Naver", domains: ["naver.com"], mx: ["naver.com"] },
  {
    key: "kakao",
    name: "Daum and Kakao",
    domains: ["daum.net", "hanmail.net", "kakao.com"],
    mx: ["daum.net", "hanmail.net", "kakao.com"],
  },
  {
    key: "yahoo_japan",
    name: "Yahoo! JAPAN",
    domains: ["yahoo.co.jp", "ymail.ne.jp"],
    mx: ["yahoo.co.jp"],
    source: MXSNIFF,
  },
  { key: "docomo", name: "NTT Docomo", domains: ["docomo.ne.jp"], mx: ["docomo.ne.jp"] },
  { key: "kddi", name: "au (KDDI)", domains: ["au.com", "ezweb.ne.jp"], mx: ["ezweb.ne.jp", "au.com"] },
  {
    key: "softbank",
    name: "SoftBank",
    domains: ["softbank.ne.jp", "i.softbank.jp"],
    mx: ["softbank.ne.jp", "softbank.jp"],
  },
  {
    key: "ovh",
    name: "OVHcloud",
    domains: [],
    mx: ["ovh.net", "ovh.ca"],
    source: "https://help.ovhcloud.com/csm/en-dns-zone-mx",
  },
  { key: "godaddy", name: "GoDaddy", domains: [], mx: ["secureserver.net"], source: MXSNIFF },
  { key: "rackspace", name: "Rackspace", domains: [], mx: ["emailsrvr.com"], source: MXSNIFF },
  {
    key: "cloudflare",
    name: "Cloudflare Email Routing",
    domains: [],
    mx: ["mx.cloudflare.net"],
    source: "https://developers.cloudflare.com/email-routing/postmaster/",
  },
  {
    key: "mimecast",
    name: "Mimecast",
    domains: [],
    mx: words("mimecast.com mimecast.co.za mimecast-offshore.com"),
    source: "https://mimecastsupport.zendesk.com/hc/en-us/articles/34000360689555",
  },
  {
    key: "proofpoint",
    name: "Proofpoint",
    domains: [],
    mx: ["pphosted.com", "ppe-hosted.com", "gpphosted.com"],
    source: MXSNIFF,
  },
  { key: "barracuda", name: "Barracuda", domains: [], mx: ["barracudanetworks.com"], source: MXSNIFF },
  { key: "cisco", name: "Cisco Secure Email", domains: [], mx: ["iphmx.com"], source: seenAs("iphmx.com") },
  {
    key: "broadcom",
    name: "Symantec Email Security.cloud",
    domains: [],
    mx: ["messagelabs.com"],
    source: MXSNIFF,
  },
  { key: "trendmicro", name: "Trend Micro", domains: [], mx: ["trendmicro.com", "trendmicro.eu"] },
  { key: "sophos", name: "Sophos", domains: [], mx: ["sophos.com"] },
  {
    key: "hornetsecurity",
    name: "Hornetsecurity",
    domains: [],
    mx: ["hornetsecurity.com", "antispameurope.com"],
    source: seenAs("antispameurope.com"),
  },
];
