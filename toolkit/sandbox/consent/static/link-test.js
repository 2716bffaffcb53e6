// A page to try the link component on: ?sess_id=…&timeout=… fill in its form.
import { link } from "/link.js";

const query = new URLSearchParams(window.location.search);
const [form, outcome, close] = ["form", "output", "#close"].map((selector) => document.querySelector(selector));
let flow;

form.elements.sess_id.value = query.get("sess_id") ?? "";
form.elements.timeout.value = query.get("timeout") ?? "600";

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { sess_id, timeout, container } = form.elements;
  outcome.textContent = "…";
  flow = link(sess_id.value, { container: container.value || null, timeoutMs: 1000 * Number(timeout.value) });
  try {
    outcome.textContent = JSON.stringify(await flow);
  } catch (error) {
    outcome.textContent = `${error.code}: ${error.message}`;
  }
});
close.addEventListener("click", () => flow?.close());
