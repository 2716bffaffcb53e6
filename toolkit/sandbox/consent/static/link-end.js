// The last page of a framed flow: says how it ended to the page around it, and to no other.
const { parent, message } = document.currentScript.dataset;
window.parent.postMessage(JSON.parse(message), parent);
