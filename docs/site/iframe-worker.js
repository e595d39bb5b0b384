// Browsers start no worker from a file, and the search is one: where the site is read from files, an
// iframe does its work. Material's plugin `offline` loads such a script from elsewhere unless one of
// this name is there.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script src="${encodeURI(url)}"></script>`;
      frame.addEventListener("load", () => {
        const own = frame.contentWindow;
        // What the worker's script posts goes to the page.
        own.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        this.give = (data) => own.dispatchEvent(new own.MessageEvent("message", { data }));
        this.waiting.forEach(this.give);
      });
      document.body.append(frame);
    }
    postMessage(data) {
      if (this.give) this.give(data);
      else this.waiting.push(data);
    }
  };
}
