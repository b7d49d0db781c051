// The operator's page: puts link, driving, picture, touch and controls together, and starts the ways to drive.

import { h } from "../elements";
import { sentence } from "../words";
import { EmergencyStop, postStop } from "../emergency_stop";
import { bearer } from "./link/secret";
import { CONFIRMED, NOT_CONFIRMED, RESET_SINCE, type StopState } from "../stop_sender";
import { Driving } from "./driving";
import { Link, type LinkState } from "./link/link";
import type { ArmState, Hand } from "./link/packets";
import { LINK_PROTOCOL, NO_ARM, type Health, type Line, type LookAt, type OperatorWords, type SeatNow } from "./link/protocol";
import { MasterChoice } from "./master_choice";
import { KEY_HELP } from "./masters/keyboard";
import type { Moment, Side } from "./masters/master";
import { TURN_AND_TOUCH } from "./masters/turn_and_touch";
import { targetRay } from "./masters/target_ray";
import { poseOf } from "./masters/xr_pose";
import { Candidates } from "../scene/candidates";
import { Arms } from "./scene/arms";
import { CameraCloud } from "./scene/camera_cloud";
import { Picture } from "./scene/picture";
import { PointingRay } from "./scene/pointing_ray";
import { armOf, drivesBaseOnly, drivesGripper, hindrance, whatIsDriven, whyItHolds, whyTooSlow } from "./seat";
import { Touch } from "./touch/touch";
import { capabilities, type Found } from "./ui/capabilities";
import { Controls, NO_GRIPPER } from "./ui/controls";
import { kindOf } from "./ui/device";
import { Drawer, option } from "./ui/drawer";
import { Fold } from "./ui/fold";
import { whenLeft } from "./ui/leaving";
import { LinkFigures } from "./ui/link_figures";
import { Notes } from "./ui/notes";
import { Questions } from "./ui/questions";
import { isAlsoYes, nextScale, spokenScale, withOwnWords } from "./ui/scales";
import { StickHint } from "./ui/stick_hint";
import { COLOURS, needsCode, scaleWords, SeatWords, shown, type Shown } from "./ui/state";
import { mayReset, nextStep, type Step } from "./ui/step";
import { TakeButton } from "./ui/take_button";
import { OTHERS } from "./ui/talk";
import { Top } from "./ui/top";
import { browserVoice } from "../sound/browser_voice";
import { SpokenAnswers } from "../sound/spoken_answers";
import { TouchPad } from "./ui/touch_pad";
import { Wake } from "./ui/wake";
import { WayIn } from "./ui/way_in";
import { Ways } from "./ui/ways";
import { WordsBox } from "./ui/words_box";
import { NOT_CONNECTED } from "../sound/talker";
import { placeBefore } from "./view/place";
import type { Clutch } from "./view/clutch";
import { IDENTITY, rotate, type Pose, type Vector } from "./view/pose";

/** Where no session paces it, hands are read so often [ms]. */
const DESK_STEP_MS = 16;
const REFRESH_MS = 100;
/** Where somebody points who talks is told so often [ms]. */
const POINTS_MS = 200;
/** What an arm said longer ago is not said of it now [ms]. */
const FRESH_MS = 300;
/** A main process that was not heard for so long hangs; so long: it never was (`Operators._health`) [s]. */
const HANGS_S = 1;
const NEVER_S = 1e6;
const WATCHING: SeatNow = { type: "seat_now", seat: "watching", driven: [], words: "", holder: "", then: [] };

export class Operator {
  private readonly driving = new Driving();
  private readonly link: Link;
  private readonly picture: Picture;
  private readonly candidates: Candidates;
  private readonly arms: Arms;
  private readonly cloud: CameraCloud;
  private readonly touch: Touch;
  private readonly wake = new Wake();
  private readonly overlay: HTMLElement;
  private readonly top = new Top(() => this.stop(), () => this.say("reset"));
  private readonly figures = new LinkFigures();
  private readonly take = new TakeButton(() => this.say("let me drive"));
  private readonly controls = new Controls();
  private readonly notes = new Notes();
  private readonly words = new WordsBox((text) => this.say(text),
    {
      begin: (talk, microphone) => {
        this.link.beginTalk(talk, microphone);
        return Promise.resolve({ ok: true, text: "" }); // what is against it comes as what is heard
      },
      sound: (block) => this.link.sound(block),
      stopped: (talk) => this.link.stopTalk(talk),
    },
    (words) => this.notes.add("refused", words),
    (isTalking) => {
      this.hasSaid ||= isTalking;
      this.answers.hold(isTalking);
    });
  private readonly answers = new SpokenAnswers(browserVoice(), (words) => this.notes.add("refused", words));
  private readonly aloud = option("Answers aloud, by this device's voice", false, (on) => void this.sayAnswers(on));
  private hasSaid = false; // since it was linked: lines before that are history
  private readonly questions = new Questions((question, choice) => this.reply(question, choice));
  private readonly ways = new Ways();
  private readonly pad = new TouchPad((right, up, away) => this.choice.drag(right, up, away));
  private readonly emergency = new EmergencyStop({
    say: (id) => this.link.stop(id),
    post: (id) => postStop("/stop", { type: "stop_now", id }, bearer()),
    show: (state) => this.stopChanged(state),
  });
  private readonly wayIn: WayIn;
  private readonly drawer: Drawer;
  /** What no panel covers. */
  private readonly free = h("div", { class: "middle" });
  private readonly aim = h("span", { class: "aim" });
  private readonly steps = h("div", { class: "step" });
  private readonly choice: MasterChoice;
  private eye: Pose = IDENTITY;
  /** Of a hand in a session, which then points in place of the eye; null: none does. */
  private pointing: Pose | null = null;
  private readonly pointingRay = new PointingRay();
  private needsPlace = false;
  /** What is to be before the wearer then, in R [m]; null: what the arm reaches. */
  private placeAt: Vector | null = null;
  private steppedAt = -Infinity;
  private looksAtArm = false;
  private seat = WATCHING;
  private nowStep: Step = "none";
  private hasDriven = false;
  private breaks = 0;
  private readonly seatWords = new SeatWords();
  private readonly stickHint = new StickHint();
  private health: Health | null = null;
  private name = "";
  private installation = "";
  private saidId = Date.now(); // what a page before this one has said is none of its own
  private told = "";

  private readonly isPhone: boolean;

  constructor(found: Found, container: HTMLElement) {
    this.isPhone = kindOf(found) === "phone";
    const edge = h("div", { class: "edge" });
    this.drawer = new Drawer(
      ["Link", this.figures.element],
      ["This device", this.ways.list],
      ["Picture and sound", h("div", {},
        h("button", { attributes: { type: "button" }, onclick: () => this.place() }, "Put the scene before me"),
        option("See the room behind the scene", false, (on) => this.showRoom(on)),
        this.aloud,
        option("Sounds where nothing can be felt", true, (on) => (this.touch.sounds.wanted = on)))],
      ...(found.coarse ? [] : [["Keys", h("p", {}, KEY_HELP)] as const]),
      ["What happened", this.notes.all],
    );
    const view = h("div", { class: "picture" });
    this.wayIn = new WayIn(kindOf(found), () => this.link.connectNow());
    this.words.quick.append(this.drawer.button);
    const numbers = h("div", { class: "scene-overlay" });
    this.overlay = h("div", { class: "overlay" }, numbers, this.top.element, this.wayIn.again, this.wayIn.steps, this.questions.element,
      this.free, this.aim,
      h("footer", { class: "desk" }, this.notes.latest, this.words.element, this.controls.element, this.words.quick, this.steps), this.drawer.element, edge);
    const held = h("div", { class: "held" }, this.take.element, this.controls.clutch.element, this.pad.element, new Fold(this.overlay).button);
    this.steps.append(this.ways.element, held);
    container.append(view, this.overlay);

    this.touch = new Touch(edge);
    this.picture = new Picture(view, (now, frame) => this.frame(now, frame));
    this.candidates = new Candidates(this.picture, numbers, (question, choice) => this.reply(question, choice));
    this.arms = new Arms(this.picture);
    this.cloud = new CameraCloud(this.picture);
    this.picture.robot.add(this.pointingRay.object);
    this.driving.view.put(placeBefore(IDENTITY, this.arms.middle(null)));
    this.picture.put(this.driving.view.R_T_W);
    this.place();
    this.link = new Link(kindOf(found), {
      words: (message) => this.hear(message),
      arm: (state, came) => this.hearArm(state, came),
      cloud: (data) => this.cloud.take(data, performance.now()),
      state: (state) => this.linkChanged(state),
    });
    this.choice = new MasterChoice(found, this.driving, this.picture, this.overlay, this.ways, {
      note: (words) => this.notes.add("refused", words),
      begun: () => this.touch.sounds.begin(),
      changed: () => this.masterChanged(),
      seen: () => this.link.say({ type: "visible", visible: this.isSeen }),
      place: () => this.place(),
    });
    this.ways.showCapabilities(capabilities(found));
    this.listen();
    new ResizeObserver(() => this.frameFree()).observe(this.free);
    setInterval(() => this.deskStep(), DESK_STEP_MS);
    setInterval(() => this.refresh(), REFRESH_MS);
    setInterval(() => {
      if (this.words.talker.isTalking) this.point();
    }, POINTS_MS);
    this.link.connectNow();
    this.refresh();
  }

  // ---------------------------------------------------------------- what comes

  private async sayAnswers(on: boolean): Promise<void> {
    if (!on) this.answers.turnOff();
    else if (!(await this.answers.turnOn())) this.aloud.querySelector("input")!.checked = false;
  }

  private hear(message: OperatorWords): void {
    switch (message.type) {
      case "welcome":
        this.name = message.name;
        this.installation = message.installation;
        this.told = "";
        this.hasSaid = false;
        this.answers.begin();
        this.link.say({ type: "visible", visible: this.isSeen });
        if (message.protocol !== LINK_PROTOCOL) this.notes.add("error", "This page is of another release than the robot's computer: reload it.");
        break;
      case "scene_part":
        this.driving.interrupt("what is shown has changed");
        this.touch.forget();
        this.arms.show(message.arms);
        this.looksAtArm = false;
        this.cloud.show(message.camera, message.words);
        break;
      case "seat_now":
        this.logSeat(message);
        this.seat = message;
        this.seatWords.take(message.words, performance.now());
        break;
      case "line":
        this.answers.take([message], ({ kind }) => kind !== OTHERS && this.hasSaid);
        // Why what is driven holds is the clutch's own sentence, for who drives by another's word, too.
        if (this.explain(message)) this.notes.keep("doing", message.text);
        else this.notes.add(message.kind, message.kind === OTHERS ? message.text : withOwnWords(message), message.number, message.words);
        break;
      case "asked":
        this.questions.take(message);
        this.showCandidates();
        break;
      case "stop_confirmed":
        this.emergency.confirm(message);
        break;
      case "done":
        this.notes.settle(message.id, message.ok, withOwnWords(message), message.number);
        break;
      case "look_at":
        this.putView(message);
        break;
      case "heard":
        this.words.talker.heard(message);
        break;
      case "health":
        if (message.breaks > this.breaks && message.broken !== "") this.bothClutches((clutch) => clutch.explain(message.broken, performance.now()));
        this.breaks = message.breaks;
        this.health = message;
    }
    this.refresh();
  }

  /** Why what is driven holds, if that was said (then true): of a base nothing else is told. */
  private explain(line: Line): boolean {
    let isAboutIt = false;
    for (const driven of this.seat.driven) {
      const why = whyItHolds(line, driven);
      const { clutch } = this.driving.hands[driven.side];
      if (why === "") continue;
      isAboutIt = true;
      clutch.explain(why, performance.now());
      if (driven.arm === "") clutch.break(`the base let go: ${why}`);
    }
    return isAboutIt;
  }

  private hearArm(state: ArmState, came: number): void {
    if (state.index === NO_ARM || !this.arms.take(state, came)) return;
    for (const side of ["right", "left"] as const) {
      if (this.drivenArm(side)?.index !== state.index) continue;
      this.driving.hands[side].clutch.confirm(state.engaged, state.echo);
      this.touch.hear(state, came);
      break;
    }
    // Once: a picture that went with the arm would hide that it moves.
    if (!this.looksAtArm && this.choice.session === null && this.picture.desk.isHome) this.place();
    this.looksAtArm = true;
  }

  private linkChanged(state: LinkState): void {
    if (state.kind !== "connected") {
      this.words.talker.breakOff(NOT_CONNECTED);
      this.driving.interrupt("the link was lost");
      this.seat = WATCHING;
      this.health = null;
      this.breaks = 0; // the next link counts anew
      this.questions.clear();
      this.showCandidates();
      this.touch.forget();
      this.arms.forget();
      this.notes.look(true);
    }
    if (state.kind === "refused") this.controls.letGo(); // they are not shown any more
    if (state.kind === "lost") this.notes.keep("link", `No link: ${state.words}.`);
    this.refresh();
  }

  // ---------------------------------------------------------------- what goes

  private say(text: string): void {
    const scale = this.questions.areOpen && isAlsoYes(text) ? null : spokenScale(text, this.controls.scale);
    if (scale !== null) {
      this.controls.choose(scale);
      this.notes.add("ended", `Scale ${scaleWords(scale)}, from the next press of the clutch.`);
      return;
    }
    this.point();
    const id = `${++this.saidId}`;
    this.hasSaid = true;
    if (this.link.instruct({ type: "said", id, text, spoken: false })) this.notes.say(id, text);
    else this.notes.add("refused", `Not connected: “${text}” was not sent.`);
  }

  /** "That" in what is said is what a hand of a headset's wearer points at, else what the middle of the picture shows. */
  private point(): void {
    const from = this.driving.view.inScene(this.pointing ?? this.eye);
    this.link.say({ type: "point_at", origin: from.p, direction: rotate(from.q, [0, 0, -1]) });
  }

  /** Between what this page is asked to choose is shown in the picture. */
  private showCandidates(): void {
    const asked = this.questions.aboutThings;
    this.candidates.show(asked === null ? null : {
      id: asked.question, options: asked.options,
      things: asked.things.map(({ choice, robot_T_thing, size }) => ({ choice, pose: robot_T_thing, size })),
    });
  }

  private reply(question: string, choice: number): void {
    if (this.link.instruct({ type: "replied", question, choice })) this.notes.reply(question);
    else this.notes.add("refused", "Not connected: the answer was not sent.");
  }

  private stop(): void {
    this.emergency.press();
    this.driving.interrupt("you pressed STOP");
    this.refresh();
  }

  private stopChanged(state: StopState): void {
    if (state === "sent") this.answers.hush();
    if (state === "sent") this.notes.keep("emergency", "STOP was sent; it is not confirmed yet.");
    if (state === "unconfirmed") this.notes.keep("error", `${NOT_CONFIRMED}. This page goes on sending it.`);
    if (state === "confirmed") {
      // What stands is the sentence at the top, where a link tells it.
      if (this.link.isConnected) this.notes.keep("emergency", CONFIRMED);
      else this.notes.add("emergency", CONFIRMED);
    }
    if (state === "reset_since") this.notes.add("reset", RESET_SINCE);
    this.refresh();
  }

  // ---------------------------------------------------------------- steps and pictures

  private frame(time: number, frame: XRFrame | null): void {
    const now = performance.now();
    const space = this.picture.space;
    this.pointing = frame !== null && space !== null ? targetRay(frame, space) : null;
    if (frame !== null && space !== null) {
      const viewer = frame.getViewerPose(space);
      if (viewer != null) {
        const { pose, tracked } = poseOf(viewer);
        this.eye = pose;
        if (this.needsPlace && tracked) {
          this.needsPlace = false;
          this.driving.interrupt("the scene was put elsewhere");
          this.driving.view.put(placeBefore(pose, this.placeAt ?? this.reach()));
        }
      }
      // Poses of a frame are of its own time, which browsers give on the clock of performance.now().
      this.step({ frame, space }, Math.abs(now - time) < 1000 ? Math.min(time, now) : now);
      this.picture.put(this.driving.view.R_T_W);
    } else {
      this.eye = this.picture.W_T_eye;
      this.deskStep();
    }
    this.followTool();
    this.pointingRay.show(this.pointing === null ? null : this.driving.view.inScene(this.pointing), this.cloud.target, now);
    this.cloud.refresh(now);
    this.touch.update(this.driving.master, now);
  }

  /** From a timer and before each picture: browsers hold timers back for 0.1 s when a finger comes down, but no pictures. */
  private deskStep(): void {
    const now = performance.now();
    if (this.choice.session !== null || now - this.steppedAt < DESK_STEP_MS / 2) return;
    this.steppedAt = now;
    this.choice.look();
    this.step(null, now);
  }

  private step(xr: Moment["xr"], now: number): void {
    const { controls } = this;
    const moment: Moment = { now, W_T_eye: this.eye, xr, page: { clutch: controls.clutch.isHeld, grips: controls.grips } };
    const hands: Omit<Hand, "number">[] = [];
    const wishes = this.driving.step(moment, {
      barred: this.barred(), scale: controls.scale, holdView: controls.holdView.isHeld,
      R_T_A: (side) => this.arms.base(this.drivenArm(side)),
    }, (hand) => {
      hands.push(hand);
      const hint = this.stickHint.look(hand.stick, this.seat.driven, this.driving.master?.forBase ?? "");
      if (hint !== "") this.notes.add("answered", hint);
    });
    this.link.sendHands(hands);
    if (wishes.stop) this.stop();
    if (wishes.nextScale) controls.choose(nextScale(controls.scale));
  }

  private barred(): string {
    if (this.emergency.isPending) return "your STOP is not confirmed yet";
    return hindrance({
      connected: this.link.isConnected, seen: this.isSeen, seat: this.seat.seat, emergency: this.health?.emergency ?? "",
      driven: this.seat.driven, arm: this.drivenState("right") ?? this.drivenState("left"), silence: this.link.silence(performance.now()),
      tooSlow: whyTooSlow(this.health),
    });
  }

  private refresh(): void {
    const now = performance.now();
    this.notes.look();
    this.arms.refresh(now);
    const how = this.how(now);
    if (how.tone === "engaged") this.hasDriven = true;
    this.controls.show(how, this.seat.seat === "watching" ? "You do not drive" : drivesGripper(this.seat.driven) ? "" : NO_GRIPPER);
    this.overlay.dataset["tone"] = how.tone;
    this.overlay.dataset["link"] = this.link.state.kind;
    this.overlay.dataset["master"] = this.driving.master?.name ?? "";
    this.showStep();
    this.wayIn.show(this.link.state);
    this.top.stop.hidden = needsCode(this.link.state); // nobody would take it
    this.top.offerReset(mayReset(this.link.state, this.health?.emergency ?? "", this.emergency.isPending));
    this.top.show(this.name, this.installation, this.link.isConnected ? this.seat.holder : null);
    this.words.show(this.seat.seat !== "watching", this.seat.then, this.name);
    this.figures.show(this.health);
    const camera = this.link.isConnected ? this.cloud.words(now) : "";
    // That it is too slow to drive the sentence above says already, to whoever drives.
    const isSaid = this.seat.seat !== "watching" && whyTooSlow(this.health) !== "";
    this.top.say(how, this.emergency.state === "unconfirmed", isSaid ? "" : this.health?.words ?? "", camera);
    this.controls.holdView.element.disabled = this.driving.master?.carriesView !== true;
    const force = this.drivenState("right")?.state;
    const newtons = force?.contact === true ? `contact, ${Math.round(Math.hypot(force.wrench[0], force.wrench[1], force.wrench[2]))} N` : "";
    this.picture.board.say(COLOURS[how.tone], [how.word, how.words, [newtons, `scale ${scaleWords(this.controls.scale)}`].filter(Boolean).join(" · "), camera]);
    this.tellTracking();
    void this.wake.keep(this.seat.seat !== "watching" && this.link.isConnected);
  }

  private how(now: number): Shown {
    const sides = ["right", "left"] as const;
    const side: Side = sides.find((each) => this.driving.hands[each].clutch.state !== "open") ?? "right";
    const { clutch } = this.driving.hands[side];
    const arm = this.drivenState(side) ?? this.drivenState("right");
    const baseOnly = drivesBaseOnly(this.seat.driven);
    const [emergency, fault] = [this.health?.emergency ?? "", arm?.state.fault ?? false];
    return shown({
      link: this.link.state,
      stop: this.emergency.state,
      emergency,
      fault,
      stopped: arm?.state.stopped ?? false,
      hangs: this.mainSilence(),
      seat: this.seat.seat,
      seatWords: this.seatWords.look(this.seat.words, fault || emergency !== "", now),
      holder: this.seat.holder,
      clutch: clutch.state,
      reason: clutch.reason,
      followed: baseOnly || (arm !== null && arm.state.engaged !== 0 && arm.state.engaged === clutch.engagement),
      baseOnly,
      driven: whatIsDriven(this.seat.driven),
      scale: this.controls.scale,
      hasMaster: this.driving.master !== null,
      begin: this.hasDriven ? "" : this.driving.master?.begin ?? "",
      trouble: this.driving.master?.health() ?? "",
      atRest: arm !== null && arm.age < FRESH_MS && arm.state.atRest,
      deaf: this.arms.state(this.drivenArm(side), now)?.age ?? null,
      silence: this.link.silence(now),
      tooSlow: whyTooSlow(this.health),
      holdingView: this.driving.view.isHolding,
    });
  }

  /** What comes next, where the thumb is; what is chosen already takes no room on a phone. */
  private showStep(): void {
    const hasMaster = this.driving.master !== null;
    this.nowStep = nextStep({ link: this.link.state, seat: this.seat.seat, holder: this.seat.holder, hasMaster }, this.nowStep);
    this.overlay.dataset["step"] = this.nowStep;
    this.take.show(this.nowStep);
    const place = this.nowStep === "clutch" && this.isPhone ? this.drawer.ways : this.steps;
    if (this.ways.element.parentElement !== place) place.prepend(this.ways.element);
  }

  /** So long the main process has not answered [s], if that is too long. */
  private mainSilence(): number {
    const age = this.health?.heard_age_s ?? 0;
    return age < HANGS_S ? 0 : age < NEVER_S ? age : Infinity;
  }

  /** For the log: what this page drives from now on, or does not any more. */
  private logSeat({ seat, driven, words }: SeatNow): void {
    const drove = this.seat.seat !== "watching";
    if (!drove && seat === "ready") this.notes.keep("doing", `You drive ${whatIsDriven(driven)}.`);
    else if (drove && seat === "watching" && words !== "") this.notes.keep("doing", sentence(words));
  }

  private bothClutches(what: (clutch: Clutch) => void): void {
    for (const { clutch } of Object.values(this.driving.hands)) what(clutch);
  }

  /** The arm that a hand drives; while nothing is driven, the first that is shown. */
  private drivenArm(side: Side): ReturnType<Arms["find"]> {
    const device = armOf(side, this.seat.driven);
    return device === null ? null : this.arms.find(device);
  }

  private drivenState(side: Side): ReturnType<Arms["state"]> {
    return this.arms.state(this.drivenArm(side), performance.now());
  }

  private tellTracking(): void {
    const { master } = this.driving;
    const words = master === null ? "nothing is chosen to drive by" : `${master.name}: ${master.health() || master.words}`;
    if (words === this.told || !this.link.isConnected) return;
    if (this.link.say({ type: "tracking", words })) this.told = words;
  }

  // ---------------------------------------------------------------- the page itself

  /** The view is put onto something by words; a headset's wearer, or a phone's, has it come before them. */
  private putView(look: LookAt): void {
    this.driving.interrupt("the view was put elsewhere");
    if (look.middle === null || this.choice.session !== null) this.place(look.middle);
    else this.picture.desk.look(look.middle, look, this.driving.view.R_T_W);
    this.picture.invalidate();
  }

  /** The middle of what the arm reaches, in R [m]. */
  private reach(): Vector {
    return this.arms.middle(this.drivenArm("right") ?? this.arms.find(""));
  }

  /** Have the robot before one as at the start; in a session what is at `middle` [m, R]. */
  private place(middle: Vector | null = null): void {
    if (this.choice?.session != null) {
      this.needsPlace = true;
      this.placeAt = middle;
      return;
    }
    this.picture.desk.home(this.reach(), this.driving.view.R_T_W);
    this.followTool();
    this.picture.invalidate();
  }

  /** Where nothing covers the picture is its middle. */
  private frameFree(): void {
    const { left, top, width, height } = this.free.getBoundingClientRect();
    this.picture.frame({ left, top, width, height });
    this.followTool();
  }

  /** No panel lies over the tool of the arm that is driven. */
  private followTool(): void {
    const part = this.drivenArm("right") ?? this.drivenArm("left") ?? this.arms.find("");
    this.picture.keepInView(this.arms.tool(part));
    const [x, y] = this.picture.middle; // what is looked at: "that" in what is said
    this.aim.style.translate = `${x.toFixed(1)}px ${y.toFixed(1)}px`;
  }

  private masterChanged(): void {
    const { master } = this.driving;
    this.pad.element.hidden = master?.name !== TURN_AND_TOUCH;
    this.refresh();
  }

  private showRoom(on: boolean): void {
    this.choice.room = on;
    this.picture.showRoom(on);
  }

  private get isSeen(): boolean {
    const { session } = this.choice;
    return session === null ? !document.hidden : session.visibilityState === "visible";
  }

  private listen(): void {
    whenLeft({
      away: (reason) => {
        this.controls.letGo();
        this.driving.interrupt(reason);
      },
      seen: (gone) => this.link.say({ type: "visible", visible: this.isSeen && !gone }),
    });
    addEventListener("pointerdown", () => this.touch.sounds.begin(), { once: true });
  }
}
