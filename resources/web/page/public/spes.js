// Loaded before the scripts of the open SpesRobotics page, which know nothing of us: whatever socket they open
// first says who this is. The secret is that of src/operator/link/secret.ts; it never stands in an address.
{
  const ours = "pilothouse.operator";
  globalThis.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      // Before any listener of theirs, so that it is the first message.
      this.addEventListener("open", () => {
        if (new URL(this.url).host !== location.host) return;
        this.send(JSON.stringify({ type: "sign_in", secret: localStorage.getItem(ours) ?? "" }));
      });
    }
  };
}
