// Opens the consent flow in a frame and returns its result.
//
//   import { link } from "<the service>/link.js";
//   const flow = link(sessionId, { container: "#here", timeoutMs: 600000 });
//   flow.then(({ consentID, redirectURL }) => …, (error) => … error.code …);
//   flow.close();

const HOME = new URL(import.meta.url).origin;
const DEFAULT_TIMEOUT_MS = 600_000;
const KEEPS_THE_FRAME = "LINK_INVALID_SESSION";

/** An error of the flow. code: one of the service's link codes; id, uri: the service's reference and help page, or null. */
export class LinkError extends Error {
  constructor(code, description = code, { id = null, uri = null } = {}) {
    super(description);
    Object.assign(this, { name: "LinkError", code, id, uri });
  }
}

/**
 * Returns a promise of {consentID, redirectURL} with a method close(); it is rejected with a LinkError.
 *
 * container: an element or its selector; without one the frame covers the page. base: origin of the service, by default
 * the one that served this script.
 */
export function link(sessionId, { container = null, timeoutMs = DEFAULT_TIMEOUT_MS, base = HOME } = {}) {
  let end;
  const flow = new Promise((resolve, reject) => {
    const place = placeFor(container);
    if (!place) return reject(new LinkError("LINK_NOT_FOUND", "The place for the frame is missing."));
    const frame = open(place, sessionId, base);
    const timer = setTimeout(() => end(new LinkError("LINK_TIMEOUT", "The flow took too long.")), timeoutMs);
    const listen = (event) => handleMessage(event, frame.contentWindow, new URL(base).origin, end);
    end = (outcome) => {
      clearTimeout(timer);
      window.removeEventListener("message", listen);
      if (outcome.code !== KEEPS_THE_FRAME) (container ? frame : place).remove();
      return outcome instanceof LinkError ? reject(outcome) : resolve(outcome);
    };
    window.addEventListener("message", listen);
    if (!container) place.append(closer(() => flow.close()));
  });
  flow.close = () => end?.(new LinkError("LINK_USER_CANCELLED", "The person closed the flow."));
  return flow;
}

/** Handle a message: ignore those of other windows; one from the frame with another origin ends the flow. */
function handleMessage(event, source, origin, end) {
  if (event.source !== source) return;
  if (event.origin !== origin) return end(new LinkError("LINK_ORIGIN_MISMATCH", "A message came from another origin."));
  const result = event.data;
  if (result?.isCompleted === true && typeof result.consentID === "string") {
    return end({ consentID: result.consentID, redirectURL: result.redirectURL ?? null });
  }
  if (result?.isCompleted === false) {
    const { errorType, error, errorDescription, errorID, errorURI } = result;
    const code = errorType || error || "LINK_INTERNAL_ERROR";
    return end(new LinkError(code, errorDescription, { id: errorID, uri: errorURI }));
  }
}

function placeFor(container) {
  if (container === null) return overlay();
  return typeof container === "string" ? document.querySelector(container) : container;
}

function open(place, sessionId, base) {
  const frame = document.createElement("iframe");
  const address = new URL("/link", base);
  address.search = new URLSearchParams({ sess_id: sessionId, parent: window.location.origin });
  Object.assign(frame, { src: address.href, title: "Consent", referrerPolicy: "no-referrer" });
  Object.assign(frame.style, { width: "100%", height: "100%", minHeight: "36rem", border: "0" });
  place.append(frame);
  return frame;
}

function overlay() {
  const shade = document.createElement("div");
  Object.assign(shade.style, { position: "fixed", inset: "0", zIndex: "2147483647", background: "Canvas" });
  document.body.append(shade);
  return shade;
}

function closer(close) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", textContent: "Close", onclick: close });
  Object.assign(button.style, { position: "absolute", top: "1rem", right: "1rem", font: "inherit" });
  return button;
}
