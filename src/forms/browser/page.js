import { solveProof } from "./proof.js";

/** On the form's own page: works while people type, and hands the proof in with the form. */
(() => {
  const form = document.querySelector("form");
  if (!form) return;
  let proof;
  let isSending = false;
  const begin = () => {
    proof ??= solveProof(`${form.action}/challenge`).catch(() => "");
    return proof;
  };
  form.addEventListener("focusin", begin, { once: true });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = "proof-of-work";
    input.value = await begin();
    form.append(input);
    form.submit();
  });
  // Whoever comes back by the browser's button may send it again.
  addEventListener("pageshow", () => {
    isSending = false;
    proof = undefined;
    for (const old of form.querySelectorAll("[name=proof-of-work]")) old.remove();
  });
})();
