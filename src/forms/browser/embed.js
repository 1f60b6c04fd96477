import { solveProof } from "./proof.js";

/** Shows a form on another site, where the script stands or as a dialog. It keeps nothing in the browser and asks nobody but us. */
export function showForm(config, script) {
  const { id, action, names, words } = config;
  const isPopup = script?.hasAttribute("data-popup") ?? false;
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  };
  const lines = (text) => text.split("\n").flatMap((line, at) => (at === 0 ? [line] : [make("br"), line]));

  const host = make("div", { lang: config.lang, dir: config.dir });
  const root = host.attachShadow({ mode: "open" });
  try {
    // A style sheet made so is no inline style, and no policy of the site forbids it.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(config.style);
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(make("style", {}, config.style));
  }

  const faults = new Map();
  const withFault = (name, input, element) => {
    const fault = make("p", { class: "fault", id: `${input.id}-fault` });
    fault.hidden = true;
    faults.set(name, { input, fault });
    element.append(fault);
    return element;
  };
  const box = (name, label, required) => {
    const input = make("input", { type: "checkbox", id: `f-${name}`, name, value: "yes", required });
    return withFault(
      name,
      input,
      make("div", {}, make("label", { class: "tick" }, input, make("span", {}, ...lines(label)))),
    );
  };
  const field = ({ name, label, type, required, max, autocomplete }) => {
    if (type === "boolean") return box(name, label, required);
    const length = type === "number" || type === "date" ? null : max;
    const step = type === "number" ? "any" : null;
    const input = make("input", {
      type,
      id: `f-${name}`,
      name,
      required,
      autocomplete,
      maxlength: length,
      step,
    });
    const text = required ? label : `${label} ${words.optional}`;
    return withFault(name, input, make("div", {}, make("label", { for: input.id }, text), input));
  };

  const proofInput = make("input", { type: "hidden", name: names.proof });
  const keptInput = make("input", { type: "hidden", name: names.kept });
  const trap = make(
    "div",
    {},
    make("label", {}, words.trap, make("input", { name: names.trap, tabindex: "-1", autocomplete: "off" })),
  );
  trap.hidden = true;
  const button = make("button", { class: "main" }, config.button);
  const said = make("p", { class: "fault", role: "alert" });
  const form = make(
    "form",
    { method: "post", action, novalidate: true, "aria-labelledby": "title", "accept-charset": "utf-8" },
    ...config.fields.map(field),
    box(names.consent, config.consent, true),
    config.tracking === null ? null : box(names.tracking, config.tracking, false),
    trap,
    make("input", { type: "hidden", name: names.shown, value: config.shown }),
    proofInput,
    keptInput,
    button,
    said,
  );
  const privacy = config.privacy && make("a", { href: config.privacy }, words.privacy);
  const small = make("p", { class: "small" }, ...lines(config.note), ...(privacy ? [" ", privacy] : []));
  const title = make("h2", { id: "title", tabindex: "-1" }, ...lines(config.title));
  const intro = config.intro === null ? null : make("p", {}, ...lines(config.intro));
  const body = make("div", { class: "body" }, title, intro, form, small);

  let proof;
  const begin = () => {
    proof ??= solveProof(`${action}/challenge`).catch(() => "");
    return proof;
  };
  form.addEventListener("focusin", begin, { once: true });

  function tell(found) {
    for (const [name, { input, fault }] of faults) {
      const detail = found.get(name);
      fault.hidden = !detail;
      fault.textContent = detail ?? "";
      input.toggleAttribute("aria-invalid", false);
      if (detail) input.setAttribute("aria-invalid", "true");
      if (detail) input.setAttribute("aria-describedby", fault.id);
      else input.removeAttribute("aria-describedby");
    }
    const [first] = found.keys();
    faults.get(first)?.input.focus();
  }

  function thank({ title: heading, text, redirect_url: next }) {
    if (next) return location.assign(next);
    title.replaceChildren(...lines(heading));
    body.replaceChildren(title, make("p", { role: "status" }, ...lines(text)));
    title.focus();
  }

  async function send() {
    proofInput.value = await begin();
    proof = undefined;
    const sent = new URLSearchParams(new FormData(form));
    const answer = await fetch(action, {
      method: "POST",
      body: sent,
      headers: { accept: "application/json" },
      credentials: "omit",
    })
      // The site's policy may forbid scripts to ask us; then the browser sends the form by itself.
      .catch(() => form.submit());
    if (!answer) return;
    const told = await answer.json().catch(() => ({}));
    if (answer.ok) return thank(told);
    const found = new Map((told.errors ?? []).map(({ pointer, detail }) => [pointer?.slice(1), detail]));
    // Whoever was only asked about the address is taken when they send it again.
    const isAsked = told.errors?.some(({ pointer, code }) => pointer === "/email" && code === "meant");
    keptInput.value = isAsked ? sent.get("email").trim() : "";
    tell(found);
    if (found.size === 0) said.textContent = answer.status === 429 ? words.tooMany : words.failed;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    said.textContent = "";
    try {
      await send();
    } finally {
      button.removeAttribute("aria-disabled");
    }
  });

  if (!isPopup) {
    root.append(body);
    if (script?.isConnected && script.parentNode !== document.head) script.after(host);
    else document.body.append(host);
    return;
  }
  const close = make("button", { type: "button", class: "close", "aria-label": words.close }, "×");
  const dialog = make("dialog", { "aria-labelledby": "title" }, close, body);
  root.append(dialog);
  document.body.append(host);
  const open = () => {
    if (dialog.open) return;
    dialog.showModal();
    // A dialog gives the focus to its first button, which closes it.
    (body.querySelector("input") ?? title).focus();
  };
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(`[data-postrider-open="${id}"]`)) return;
    event.preventDefault();
    open();
  });
  const after = Number(script.dataset.after);
  if (after > 0) setTimeout(open, after * 1_000);
}
