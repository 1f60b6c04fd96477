/** The programs with which people read mail and browse, and what they look like; looked up on 15 November 2026. */

export type ProxyName = "gmail" | "yahoo" | "fastmail";

/** Servers that fetch a mail's images when a person opens it, and hide that person's device and place. */
export const imageProxies: readonly {
  readonly name: ProxyName;
  readonly pattern: RegExp;
  readonly source: string;
  readonly checked: string;
}[] = [
  {
    name: "gmail",
    pattern: /\bGoogleImageProxy\b|\(via ggpht\.com\b/i,
    source: "https://www.scientiamobile.com/what-is-google-image-proxy/",
    checked: "2026-11-15",
  },
  {
    name: "yahoo",
    pattern: /\bYahooMailProxy\b/i,
    source: "https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
    checked: "2026-11-15",
  },
  {
    name: "fastmail",
    pattern: /^FastmailUA\//i,
    source: "https://www.fastmail.com/policies/bots/, by github.com/monperrus/crawler-user-agents",
    checked: "2026-11-15",
  },
];

/** Apple's proxies ask for the images of a mail in the background, and name nothing but this. */
export const bareMozilla = /^Mozilla\/5\.0$/i;

/** Apple Mail draws mails with WebKit, and names neither Safari nor a version, as every browser would. */
export const appleMailPattern =
  /^Mozilla\/5\.0 \((?:Macintosh|iPhone|iPad|iPod)[^)]{0,200}\) AppleWebKit\/[\d.]{1,20} \(KHTML, like Gecko\)(?: Mobile\/\w{1,12})?$/i;

/**
 * What looks like a machine's name and is none: the model of a phone (CUBOT, Spider 8, M bot 60), and a few products.
 * It is taken out before machines' names are looked for.
 */
export const harmlessParts = new RegExp(
  [
    "\\bAndroid [\\d.]{1,10};(?: ?[a-z]{2}[-_][a-z]{2};)?[^;)]{0,100}",
    "\\bcubot|camscanner/|\\(ecosia (?:ios|android)@|ttid/\\w{1,20}@|\\bask\\.com\\b|from: http://bsalsa\\.com/?",
    "http://www\\.qtweb\\.net|raindrop\\.io/|\\bwails\\.io|\\(via (?:translate|docs)\\.google\\.com",
  ].join("|"),
  "gi",
);

/** The systems that a browser names behind `Mozilla/5.0`. What names none of them is no browser. */
const systems = [
  "Windows|Win(?:9[58x]|NT|32|64)|WinFenix|Macintosh|Mac_|Mac OS|X11|Wayland|Linux|Android|iPhone|iPad",
  "iPod|iOS|watchOS|tvOS|CrOS|BSD|SunOS|Symb(?:ian|OS)|Series ?[346]0|Nokia|BlackBerry|BB10|PlayBook",
  "RIM Tablet|webOS|hpwOS|Web0S|Tizen|KAIOS|MeeGo|Maemo|Bada|SAMSUNG|PlayStation|PSP|Nintendo|Xbox",
  "Kindle|Palm|Amiga|MorphOS|Haiku|BeOS|OS/2|AIX|HP-UX|IRIX|OpenVMS|QNX|RISC OS|SMART-TV|HbbTV|Harmony",
  "Fuchsia|Syllable|LG-|LGE|SonyEricsson|MOT-|HUAWEI|DoCoMo|KDDI|J-PHONE|SoftBank|UCWEB|Cloud Phone",
  "MRE/|MAUI|ThreadX|MSIE|Trident|Konqueror|ms-office|Lotus-Notes|\\((?:Mobile|Tablet|TV);|jig browser",
  "Serenity|BREW|Profile/|Gecko/\\d{1,8} \\w{0,40}/?[\\d.]{0,20} ?Firefox/|VIZIO|Roku|Opera Mini|DTV|CrKey",
  "PS3|NetFront|Viera|AROS|NetSurf|Mobile Safari",
];

export const browserPattern = new RegExp(systems.join("|"), "i");

/** What people's programs begin with or name when they don't begin with `Mozilla/`. */
export const clientPattern = new RegExp(
  [
    "^(?:Opera|Dalvik|SAMSUNG|Nokia|BlackBerry|MOT-|LG|SonyEricsson|SAGEM|SIE-|DoCoMo|KDDI|J-PHONE)",
    "^(?:SoftBank|UCWEB|HTC|ZTE|HUAWEI|Alcatel|Lenovo|Micromax|Karbonn)",
    "^(?:NetSurf|Doris|NCSA_Mosaic|JUC|Lynx|ELinks|Links|w3m|Dillo|IBrowse|AmigaVoyager|Midori)",
    "^(?:OmniWeb|Firefox[ /]\\d|Safari|MobileSafari|Brave|Vivaldi|MQQBrowser|Instagram|\\[FBAN)",
    "CFNetwork/|AppleWebKit/|MIDP|UP\\.Browser|Obigo|NetFront|Teleca|Dorado|MAUI|ThreadX|Android|iPhone",
    "iPad|\\biOS\\b|Windows NT|Windows Phone|Mac OS X|macOS|watchOS|UCBrowser|HbbTV|MSIE",
    "mail|outlook|thunderbird|icedove|seamonkey|lotus|notes/|domino|^the bat|postbox|em ?client|^barca",
    "sparrow|^spark(?:/|%20| ?mail| desktop)|evolution/|^k-9|^k9|claws|sylpheed|pegasus",
    "eudora|entourage|^becky|^shuriken|gnus|^mutt|^geary|^kontact|^trojit|^balsa|^canary|^newton",
    "^superhuman|zimbra|groupwise|^spicebird|^inky|^polymail|^unibox|^nylas|^acompli|^hey/|^edison",
    "^microsoft office|^alpine|^nine/|^horde|^rainloop|^turnpike|^wanderlust|Emacs/",
  ].join("|"),
  "i",
);
