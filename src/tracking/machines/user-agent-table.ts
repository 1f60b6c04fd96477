/**
 * The names by which machines are known in user agents. The rows are read from the top, and the first that has a name
 * in the user agent gives the reason.
 */

export type NameRow = {
  readonly reason: "security_gateway" | "prefetch" | "link_preview" | "headless" | "http_library" | "bot";
  /** Where the names were found, and when they were looked up there, as YYYY-MM-DD. */
  readonly source: string;
  readonly checked: string;
  /** Parts of one regular expression, read without regard to case. What repeats in them has an upper bound. */
  readonly names: readonly string[];
};

export const machineNames: readonly NameRow[] = [
  {
    reason: "security_gateway",
    source:
      "check.live-direct-marketing.online/blog/bot-clicks-security-scanners-detect; the vendors' own names",
    checked: "2026-11-15",
    names: [
      "barracuda|proofpoint|url ?defense|mimecast|safelinks|ironport|cisco ?secure|symantec|messagelabs",
      "trend ?micro|\\btmes\\b|fireeye|trellix|forcepoint|websense|sophos|fortinet|fortimail|fortiguard",
      "hornetsecurity|cloudmark|cyren|avanan|ironscales|perception-?point|spamtitan|libraesva",
      "vade ?secure|zerofox|phishtank|virustotal|urlscan|safe ?browsing|bitdefender(?!safepay)|palo ?alto|expanse",
      "netcraft",
    ],
  },
  {
    reason: "prefetch",
    source: "github.com/omrilotan/isbot fixtures/browsers.yml; github.com/monperrus/crawler-user-agents",
    checked: "2026-11-15",
    names: ["office (?:existence|protocol) discovery|privacy preserving prefetch"],
  },
  {
    reason: "link_preview",
    source:
      "github.com/matomo-org/device-detector Tests/fixtures/bots.yml; github.com/faisalman/ua-parser-js test/data/ua/extension/fetcher.json",
    checked: "2026-11-15",
    names: [
      "slackbot|slack-imgproxy|^slack|telegrambot|discordbot|facebookexternal|facebookcatalog|facebot",
      "meta-external|twitterbot|linkedinbot|pinterestbot|pinterest/0|google-pagerenderer|google favicon",
      "embedly|iframely|vkshare|redditbot|mastodon/|snapchatads|snap url preview|viber/url|line-poker",
      "kakaotalk-scrap|zoombot|preview(?!/\\d{5})|^\\w{0,20}whatsapp|cardyb|^facebook",
    ],
  },
  {
    reason: "headless",
    source: "github.com/matomo-org/device-detector Tests/fixtures; github.com/monperrus/crawler-user-agents",
    checked: "2026-11-15",
    names: [
      "headless|phantomjs|slimerjs|electron-?capture|selenium|puppeteer|playwright|webdriver|cypress/",
      "splash |lighthouse|\\bptst\\b|gtmetrix|dareboost|\\bylt\\b|htmlunit|prerender|rendertron",
      "lightpanda|screenshot|thumbnail(?:er| ?gen)|webcapture|wkhtmlto|browserless|ghost inspector",
    ],
  },
  {
    reason: "http_library",
    source:
      "github.com/faisalman/ua-parser-js test/data/ua/extension/library.json; github.com/omrilotan/isbot fixtures",
    checked: "2026-11-15",
    names: [
      "\\bcurl|libcurl|\\bwget|python|aiohttp|httpx|urllib|scrapy|mechanize|libwww-perl|\\blwp|perl/",
      "^java\\b|\\(java\\)|http-?client|httpcomponents|^okhttp|; ?okhttp|go-http|^go \\d|fasthttp",
      "\\bresty|guzzle|^php|symfony|^ruby|faraday|typhoeus|http\\.rb|node-fetch|node\\.js|^node\\b",
      "^undici|^axios|^got\\b|superagent|^deno|^bun/|^reqwest|^hyper/|^rust|winhttp|wininet|powershell",
      "^restsharp|^dart|^alamofire|indy library|libsoup|^httpie|^postman|^insomnia|^jakarta|apache-http",
      "^jersey|^jetty|unirest|^retrofit|^akka|^reactornetty|^vert\\.x|^httpunit|^lua-|^erlang|^hackney",
      "^mint/|^tesla|zend_?http|snoopy|^pear |^cakephp|^drupal|^wordpress|^typo3|^magento|http_request",
      "^http/|xmlhttp|simplepie|feedparser|^aria2|^axel|^fetch|^test\\b|^apache|^axis",
    ],
  },
  {
    reason: "bot",
    source:
      "github.com/matomo-org/device-detector Tests/fixtures/bots.yml; github.com/omrilotan/isbot fixtures",
    checked: "2026-11-15",
    names: [
      // A machine that says where it comes from gives an address; browsers hardly ever do.
      "https?:|www\\.|@(?=[a-z][\\w-]{1,40}\\.[a-z]{2})|\\w\\.com(?=[/;,)\\s]|$)",
      "[a-z]\\.(?:org|net|io|ai|co|info|gov|edu)(?=[/;,)\\s]|$)",
      "bots?(?![a-z])|botify|crawl|spider|slurp|scrap|scan\\b|scanner|scanning|archiv(?!o)|harvest|nutch",
      "larbin|fetch|monitor|uptime|\\bping|pingdom|check(?!out|in)|probe|survey|audit",
      "valid(?:ator|ate|ation|\\b)|verif|inspector|inspection|\\bseo|seo\\b|sitemap",
      "link(?:check|tiger|walker|dex|bot|valid)|analy[sz]er|analytics|optimi[sz]er|collector|extractor",
      "grabber|zgrab|masscan|nmap|nikto|nessus|openvas|sqlmap|qualys|detectify|acunetix|burp|nuclei",
      "synthetic|appinsights|newrelic|datadog|thousandeyes|statuscake|site24x7|dynatrace|gomez|catchpoint",
      "feed(?:burner|ly|fetch|er\\b|bin|wind|spot)|\\brss|rss\\b|newsblur|news(?:gator|now|ai|boat)",
      "podcatcher|mediapartners|-google|google-|googleother|googleagent|google (?:page|search|pp)",
      "googlead|^google|\\bapis-google|yahoo! ?(?:slurp|pipes|ad)|bingads|adidx|msn(?:bot|ptc)",
      "\\bdaum(?:oa)?/|yeti/|sogou (?:web|head)|baidu transcoder|firefox mutant|like gecko; |httrack",
      "webcopier|teleport|offline ?explorer|site-?(?:shot|sucker|checker|auditor|analy)",
      "email(?:wolf|siphon|coll|extr)|outbrain|taboola|criteo|proximic|adbeat|admantx|grapeshot|trendsmap",
      "datanyze|ips-agent|watchtowr|foregenix|hardenize|securityheaders|ssllabs|sslping|silktide",
      "collapsify|evc-batch|marketgoo|rigor\\)|hotjar |-user/",
      "-(?:agent|client|resolver|discovery|optimizer|loader)(?![a-z])|agent$|agent\\)|watchagent",
      "httpagent|testlocally|webmeasure|(?<!p)research|index(?:er|ing)|finder\\b|autom(?:ation|ated)",
      "downloader|[a-z]proxy(?:/|;|$)|^anthropic|^openai|^claude|^chatgpt|^gpt|^perplexity|^cohere|manus-",
      "\\bllm|^mcp|^ai2|cloudflare|semantic-visions|resolver/|amazon cloudfront",
    ],
  },
];
