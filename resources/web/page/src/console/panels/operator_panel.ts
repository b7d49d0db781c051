// Phones and headsets: the code to point one at, who is paired, who drives. A button on top, a dialog behind it.

import { h, Rows, setAttribute, setText, svg, type Row } from "../../elements";
import type { AwayOperator, OperatorLine, Operators } from "../../protocol";
import { sentence } from "../../words";

const NO_APP = "The page that opens needs no app.";
const QUIET = 4; // modules of white around a QR code, without which cameras do not find it

export interface OperatorActions {
  readonly open: () => void;
  readonly end: (session: string) => void;
  readonly handOver: (session: string) => void;
}

export class OperatorPanel {
  readonly button: HTMLButtonElement;
  /** Who drives, beside the button: what lets the next one in keeps its name. */
  readonly driver = h("span", { class: "operators-driver", attributes: { role: "status" } });
  readonly dialog: HTMLDialogElement;
  private readonly what = h("p");
  private readonly picture = h("div", { class: "pairing-code" });
  private readonly address = h("a", { class: "pairing-address", attributes: { target: "_blank", rel: "noopener" } });
  private readonly left = h("p", { class: "pairing-left", attributes: { role: "status" } });
  private readonly words = h("p", { class: "pairing-words" });
  private readonly certificate = h("p", { class: "pairing-certificate" });
  private readonly empty = h("p", { class: "empty" }, "Nobody is paired.");
  private readonly list = h("ul", { class: "operator-list" });
  private readonly rows: Rows<OperatorLine>;
  private readonly awayHead = h("h3", {}, "May come back without a code");
  private readonly awayList = h("ul", { class: "operator-list away" });
  private readonly awayRows = new Rows<AwayOperator>(this.awayList, (line) => line.name, () => this.awayRow());
  private until = 0;
  /** Why no phone can come, whatever code is open; "": phones can. */
  private onlyHere = "";
  private shown = "";
  private noCode = "";

  constructor(private readonly actions: OperatorActions) {
    this.button = h("button", { class: "small operators", title: "Let a phone or headset take the arm",
      attributes: { type: "button" }, onclick: () => this.open() }, "Phone");
    this.rows = new Rows<OperatorLine>(this.list, (line) => line.session, () => this.row());
    const close = h("button", { class: "quiet", attributes: { type: "button", "aria-label": "Close" },
      onclick: () => this.dialog.close() }, "✕");
    this.dialog = h("dialog", { class: "operators-dialog", attributes: { "aria-label": "Phones and headsets" } },
      h("header", { class: "panel-head" }, h("h2", {}, "Phones and headsets"), close),
      this.what, this.picture, this.left, this.address, this.words, this.certificate,
      h("div", { class: "pairing-tools" },
        h("button", { class: "small", attributes: { type: "button" }, onclick: () => this.actions.open() }, "New code")),
      h("h3", {}, "Paired"), this.empty, this.list, this.awayHead, this.awayList);
    setInterval(() => this.count(), 500);
  }

  show(message: Operators): void {
    this.until = performance.now() + 1000 * message.left_s;
    if (message.url !== this.shown) {
      this.shown = message.url;
      this.picture.replaceChildren(...(message.code.length > 0 ? [code(message.code)] : []));
      if (message.url === "") this.address.removeAttribute("href");
      else setAttribute(this.address, "href", message.url);
      setText(this.address, message.url === "" ? "" : "or open it on this machine");
    }
    this.noCode = message.no_code;
    this.onlyHere = message.certificate === "" ? message.words : ""; // without one it is loopback only
    setText(this.words, this.onlyHere === "" ? message.words : "");
    setText(this.certificate, message.certificate === "" ? "" : `Fingerprint (SHA-256): ${message.certificate}`);
    this.rows.show(message.sessions);
    this.empty.hidden = message.sessions.length > 0;
    this.awayRows.show(message.away);
    this.awayHead.hidden = message.away.length === 0;
    const driving = message.sessions.find((line) => line.driving);
    setText(this.driver, driving === undefined ? "" : `${driving.name} drives`);
    this.driver.hidden = driving === undefined;
    this.count();
  }

  private open(): void {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    this.dialog.show(); // not modal: the emergency stop has to stay within reach
    if (performance.now() >= this.until) this.actions.open();
  }

  private count(): void {
    const left = Math.ceil((this.until - performance.now()) / 1000);
    const isOpen = left > 0 && this.shown !== "";
    this.picture.hidden = this.address.hidden = !isOpen;
    const how = isOpen ? "Point a phone's camera at the code." : "Press “New code”, then point a phone's camera at it.";
    setText(this.what, this.onlyHere === "" ? `${how} ${NO_APP}` : `${sentence(this.onlyHere)} ${isOpen ? "Here, use the link below." : "Here, press “New code”."}`);
    setText(this.left, isOpen ? `Good for one device, ${left} s more.` : this.noCode);
  }

  private awayRow(): Row<AwayOperator> {
    let device = "";
    const name = h("span", { class: "device-name" });
    const revoke = h("button", { class: "small", attributes: { type: "button" },
      onclick: () => this.actions.end(device) }, "Revoke");
    return {
      element: h("li", { class: "operator" }, h("span", { class: "dot" }), name, h("span", { class: "device-words" }, "away"),
        h("span", { class: "operator-tools" }, revoke)),
      update: (line) => {
        device = line.name;
        setText(name, line.name);
        setAttribute(revoke, "aria-label", `Revoke ${line.name}`);
      },
    };
  }

  private row(): Row<OperatorLine> {
    let session = "";
    const name = h("span", { class: "device-name" });
    const words = h("span", { class: "device-words" });
    const tools = h("span", { class: "operator-tools" });
    const hand = h("button", { class: "small", attributes: { type: "button" },
      onclick: () => this.actions.handOver(session) }, "Hand the arm over");
    const end = h("button", { class: "small", attributes: { type: "button" },
      onclick: () => this.actions.end(session) }, "Send away");
    tools.append(hand, end);
    const element = h("li", { class: "operator" }, h("span", { class: "dot" }), name, words, tools);
    return {
      element,
      update: (line) => {
        session = line.session;
        setAttribute(element, "data-state", !line.alive ? "failed" : line.driving ? "working" : "idle");
        setText(name, line.name);
        setAttribute(element, "title", line.words);
        setText(words, [line.driving ? "drives" : line.alive ? "watches" : "silent", line.words].filter(Boolean).join(" · "));
        hand.hidden = line.driving || !line.alive;
        setAttribute(hand, "aria-label", `Hand the arm over to ${line.name}`);
        setAttribute(end, "aria-label", `Send ${line.name} away`);
      },
    };
  }
}

/** A QR code as one path: black modules on white, whatever the page's colours are. */
function code(rows: readonly string[]): SVGSVGElement {
  const size = rows.length + 2 * QUIET;
  let path = "";
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) if (row[x] === "1") path += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
  });
  return svg("svg", { attributes: { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "QR code" } },
    svg("rect", { attributes: { width: String(size), height: String(size), fill: "#fff" } }),
    svg("path", { attributes: { d: path, fill: "#000", "shape-rendering": "crispEdges" } }));
}
