// The devices of the robot description, with buttons that make one fail and plug it in again.

import { h, Rows, setAttribute, setText, type Row } from "../../elements";
import type { DeviceLine, FailureKind } from "../../protocol";
import { asWords } from "../../words";
import { panel } from "./panel";

interface Failure {
  readonly how: FailureKind;
  readonly label: string;
  readonly says: string;
  /** The only kind of device that can fail like this; all can without it. */
  readonly only?: string;
}

const FAILURES: readonly Failure[] = [
  { how: "die", label: "Die", says: "end its process" },
  { how: "hang", label: "Hang", says: "let it hang" },
  { how: "garbage", label: "Garbage", says: "let it send garbage" },
  { how: "reflex", label: "Reflex", says: "let it protect itself, as if it had hit something", only: "arm" },
];

export class DevicePanel {
  private readonly panel = panel("devices", "Devices");
  readonly element = this.panel.element;
  private readonly list = h("ul", { class: "devices-list" });
  private readonly empty = h("p", { class: "empty" }, "No device is known.");
  private readonly rows: Rows<DeviceLine>;

  constructor(
    private readonly onFail: (device: string, how: FailureKind) => void,
    private readonly onRestore: (device: string) => void,
  ) {
    this.rows = new Rows<DeviceLine>(this.list, (device) => device.name, () => this.row());
    this.panel.note.after(h("span", { class: "device-fail-label" }, "Make it fail"));
    this.panel.body.append(this.empty, this.list);
  }

  show(devices: readonly DeviceLine[]): void {
    this.empty.hidden = devices.length > 0;
    this.rows.show(devices);
    const failed = devices.filter((device) => device.state === "failed").length;
    setText(this.panel.note, failed === 0 ? "" : `${failed} failed`);
  }

  private row(): Row<DeviceLine> {
    let device = "";
    const name = h("span", { class: "device-name" });
    const words = h("span", { class: "device-words" });
    const buttons = FAILURES.map(({ how, label, says, only }) => {
      const button = h("button", { class: "small", title: `Failure to try: ${says}`, attributes: { type: "button" },
        onclick: () => this.onFail(device, how) }, label);
      return { button, says, only };
    });
    const restore = h("button", { class: "small restore", title: "Plug it in again", attributes: { type: "button" },
      onclick: () => this.onRestore(device) }, "Restore");
    const fail = h("span", { class: "device-fail", attributes: { role: "group" } }, ...buttons.map(({ button }) => button));
    const element = h("li", { class: "device" }, h("span", { class: "dot" }), name, words, fail, restore);
    return {
      element,
      update: (line) => {
        device = line.name;
        setAttribute(element, "data-state", line.state);
        setAttribute(element, "data-device", line.name);
        setText(name, asWords(line.name));
        const place = [line.kind, line.mount].filter((part) => !line.name.includes(part)).map(asWords).join(", ");
        setText(words, `${line.words || line.state}${place === "" ? "" : ` · ${place}`}`);
        setAttribute(element, "title", words.textContent); // in full, where there is no room
        fail.hidden = line.injected !== "";
        restore.hidden = line.injected === "";
        setAttribute(fail, "aria-label", `Make ${asWords(line.name)} fail`);
        setAttribute(restore, "aria-label", `Restore ${asWords(line.name)}`);
        for (const { button, says, only } of buttons) {
          button.hidden = only !== undefined && only !== line.kind;
          setAttribute(button, "aria-label", `Make ${asWords(line.name)} fail: ${says}`);
        }
      },
    };
  }
}
