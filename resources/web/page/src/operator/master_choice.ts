// Which master is driven by: what this device offers, as buttons, and what it takes to begin each.

import type { Driving } from "./driving";
import { connected as gamePadConnected, GamePad } from "./masters/game_pad";
import { Headset } from "./masters/headset";
import { KEY_HELP, Keyboard } from "./masters/keyboard";
import type { Master } from "./masters/master";
import { PhoneAr } from "./masters/phone_ar";
import { chooseSpaceMouse } from "./masters/space_mouse";
import { allowGyroscope, TURN_AND_TOUCH, TurnAndTouch } from "./masters/turn_and_touch";
import type { Picture } from "./scene/picture";
import type { Found } from "./ui/capabilities";
import { kindOf } from "./ui/device";
import type { Way, Ways } from "./ui/ways";
import { begin } from "./xr_session";

const NO_GYROSCOPE =
  "The gyroscope may not be read: your finger moves the arm, nothing turns it. Allow “Motion and orientation” for this page in the browser's settings.";

export interface ChoiceEvents {
  /** Something did not work, in words. */
  note(words: string): void;
  /** The person has tapped: sounds may begin. */
  begun(): void;
  /** Another master is driven by, or none. */
  changed(): void;
  /** Whether the page is seen may have changed. */
  seen(): void;
  /** Put the scene before the operator. */
  place(): void;
}

export class MasterChoice {
  /** The XR session that runs; null: none. */
  session: XRSession | null = null;
  /** A phone's session shows the room behind the scene. */
  room = false;

  constructor(
    private readonly found: Found,
    private readonly driving: Driving,
    private readonly picture: Picture,
    private readonly overlay: HTMLElement,
    private readonly ways: Ways,
    private readonly events: ChoiceEvents,
  ) {
    if (kindOf(found) === "desk") this.driving.use(new Keyboard());
    this.offer();
  }

  /** At a desk, with each step: whoever presses a game-pad's button means it. */
  look(): void {
    const { master } = this.driving;
    if (master instanceof Keyboard && gamePadConnected()?.buttons.some((button) => button.pressed)) this.use(new GamePad());
  }

  /** A finger has moved on the pad: right, up, away [CSS px]. */
  drag(right: number, up: number, away: number): void {
    const { master } = this.driving;
    if (master instanceof TurnAndTouch) master.drag(right, up, away);
  }

  private use(master: Master | null): void {
    this.driving.use(master);
    this.offer();
    this.events.changed();
  }

  private offer(): void {
    const { session } = this;
    const leave = (): Way => this.way("Leave the session", "", "", async () => session?.end());
    this.ways.show(session === null ? this.offered() : [leave()], this.driving.master?.name);
  }

  private offered(): readonly Way[] {
    const { found } = this;
    const kind = kindOf(found);
    const ways: Way[] = [];
    if (found.ar && !found.headset) {
      ways.push(this.way("Drive by moving the phone", "phone", "The phone is the arm's hand, and the window into the scene.",
        () => this.beginSession("immersive-ar", new PhoneAr(), this.room)));
    }
    if (found.vr && kind !== "phone") {
      ways.push(this.way("Enter the scene", "headset", "Stereo; controllers or bare hands. Base: first the clutch, then the stick.", () => this.beginSession("immersive-vr", new Headset(), false)));
    }
    if (found.ar && found.headset) {
      ways.push(this.way("See-through", "headset", "The scene stands in your room. Base: first the clutch, then the stick.", () => this.beginSession("immersive-ar", new Headset(), true)));
    }
    if (kind === "phone") {
      ways.push(this.way("Turn and touch", TURN_AND_TOUCH, "Turns as the phone turns, goes as your finger goes.", () => this.beginTurnAndTouch()));
    }
    if (kind === "desk") {
      ways.push(this.way("Keyboard", "keyboard", KEY_HELP, async () => this.use(new Keyboard())));
      if (found.gamePad) {
        ways.push(this.way("Game-pad", "game-pad", "Right shoulder: clutch; sticks: move and turn; A: gripper; left trigger: sticks drive the base, after the clutch and not before.", async () => this.use(new GamePad())));
      }
      if (found.hid) ways.push(this.way("Space mouse", "space mouse", "The browser asks which one.", () => this.beginSpaceMouse()));
    }
    return ways;
  }

  private way(name: string, master: string, words: string, start: () => Promise<void>): Way {
    const tell = (error: unknown): void => {
      const why = error instanceof Error ? error.message : String(error);
      this.ways.say(why);
      this.events.note(why);
    };
    return {
      name, master, words,
      start: () => {
        this.events.begun();
        start().catch(tell);
      },
    };
  }

  private async beginSession(mode: XRSessionMode, master: Master, room: boolean): Promise<void> {
    this.session = await begin(mode, room, this.overlay, this.picture, {
      interrupted: (reason) => this.driving.interrupt(reason),
      seen: () => this.events.seen(),
      moved: () => this.events.place(),
      ended: () => this.endSession(),
    });
    this.overlay.dataset["session"] = mode;
    this.use(master);
    this.events.place();
  }

  private endSession(): void {
    this.session = null;
    delete this.overlay.dataset["session"];
    this.use(kindOf(this.found) === "desk" ? new Keyboard() : null);
    this.events.place();
  }

  private async beginTurnAndTouch(): Promise<void> {
    const gyroscope = await allowGyroscope();
    if (!gyroscope) this.events.note(NO_GYROSCOPE);
    this.use(new TurnAndTouch(gyroscope));
  }

  private async beginSpaceMouse(): Promise<void> {
    const mouse = await chooseSpaceMouse();
    if (mouse !== null) this.use(mouse);
  }
}
