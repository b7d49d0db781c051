// The console: puts the panels together and hands each message to its panel.

import "./style.css";
import { Connection, type Outgoing } from "./connection";
import { h, setText } from "../elements";
import { postStop } from "../emergency_stop";
import { token } from "./session";
import { AnswersButton } from "./panels/answers_button";
import { CommandLine } from "./panels/command_line";
import { DevicePanel } from "./panels/device_panel";
import { GraphPanel } from "./panels/graph_panel";
import { HandsPanel } from "./panels/hands_panel";
import { LinkStatus } from "./panels/link_status";
import { LogPanel } from "./panels/log_panel";
import { OperatorPanel } from "./panels/operator_panel";
import { PlanFiles } from "./panels/plan_files";
import { QuestionPanel } from "./panels/question_panel";
import { ScenePanel } from "./panels/scene_panel";
import { StopPanel } from "./panels/stop_panel";
import { tabs } from "./panels/tabs";
import { TreePanel } from "./panels/tree_panel";
import { encodeSound } from "../sound/packets";
import { TalkButton } from "../sound/talk_button";
import { NOT_CONNECTED } from "../sound/talker";
import { PROTOCOL, type Completed } from "../protocol";
import { browserVoice } from "../sound/browser_voice";
import { SpokenAnswers } from "../sound/spoken_answers";

const scene = new ScenePanel((at) => connection.sendPoint(at), answer);
const files = new PlanFiles((content) => connection.send({ type: "run_file", content }));
const trees = new TreePanel(
  {
    order: (plan, order) => void request({ type: "order_plan", plan, order }),
    change: (plan, node, how, text) => connection.send({ type: "change_plan", plan, node, how, text }),
    save: (plan) => void save(plan),
    complete,
  },
  files.button,
);
const log = new LogPanel();
const answers = new SpokenAnswers(browserVoice(), (words) => log.note("refused", words));
const graph = new GraphPanel((resource) => void request({ type: "retry_now", resource }));
const devices = new DevicePanel(
  (device, how) => void request({ type: "fail", device, how }),
  (device) => void request({ type: "restore", device }),
);
const talkWords = h("p", { class: "talk-words", attributes: { role: "status" } });
const talk = new TalkButton({
  begin: (number) => connection.send({ type: "begin_talk", talk: number }),
  sound: (block) => connection.sound(encodeSound(block)),
  stopped: () => undefined, // who talks too long is told so by whoever heard it
  onText: (text) => commandLine.showHeard(text),
  onTalking: (isTalking) => answers.hold(isTalking),
  onWords: (words) => setText(talkWords, words),
});
const commandLine = new CommandLine(
  (text) => {
    scene.tellPointing();
    void request({ type: "say", text });
  },
  complete,
  [talk.element, talkWords],
);
const questions = new QuestionPanel(answer, () => commandLine.focus(), (question) => scene.showQuestion(question));
const operators = new OperatorPanel({
  open: () => void request({ type: "open_pairing" }),
  end: (session) => void request({ type: "end_session", session }),
  handOver: (session) => void request({ type: "hand_over", session }),
});
const hands = new HandsPanel({
  watch: (is_on) => connection.send({ type: "watch_hands", is_on }),
  see: (seen) => connection.sendHands(seen),
});
const installation = h("span", { class: "installation" });
let run = "";
let who = "";

const connection = new Connection(
  {
    hello: (hello) => {
      if (run !== "" && run !== hello.run) {
        log.clear();
        answers.begin();
      }
      run = hello.run;
      setText(installation, hello.installation);
      who = hello.who;
      installation.title = `You are ${who}`;
      questions.name(hello.who);
      commandLine.showHints(hello.hints);
      if (hello.protocol !== PROTOCOL) log.note("error", "This page is of another release than the server: reload it.");
    },
    scene: (message) => scene.showScene(message),
    views: (message) => scene.showViews(message.views),
    graph: (message) => graph.show(message),
    trees: (message) => trees.show(message.plans),
    devices: (message) => devices.show(message.devices),
    events: ({ lines }) => {
      log.add(lines);
      answers.take(lines, (line) => line.who === who || line.who === "" || line.kind === "emergency");
    },
    emergency: (message) => stop.show(message),
    stop_confirmed: (message) => stop.confirm(message),
    heard: (message) => talk.talker.heard(message),
    questions: (message) => questions.show(message.questions),
    operators: (message) => operators.show(message),
    gestures_seen: (message) => hands.show(message),
    pointed_at: ({ names }) => scene.showPointedAt(names),
    fingers: ({ rays }) => scene.showFingers(rays),
    put_view: (look) => scene.putView(look),
  },
  (sample) => scene.showSample(sample),
  (state) => {
    link.show(state);
    if (state.kind !== "connected") {
      talk.talker.breakOff(NOT_CONNECTED);
      scene.showPointedAt([]); // nobody says any more what that is
      scene.showFingers([]);
    }
    if (state.kind === "connected") hands.connected();
  },
);
const stop = new StopPanel({
  say: (id) => {
    connection.stop(id); // before all else
    answers.hush();
  },
  post: (id) => postStop("/api/stop", { who: who || "console page", id }, { Authorization: `Bearer ${token()}` }),
  reset: () => connection.send({ type: "reset", confirmed: true }),
});
const link = new LinkStatus(() => connection.connectNow());

/** Send, and say in the log what was refused and is not there yet. */
async function request(message: Outgoing): Promise<void> {
  const reply = await connection.send(message);
  if (!reply.ok && !log.says(reply.text)) log.note("refused", reply.text);
}

function answer(question: string, choice: number): void {
  void request({ type: "answer", question, choice });
}

/** What could follow; null if that cannot be known just now. */
async function complete(text: string): Promise<Completed | null> {
  if (!connection.isConnected) return null;
  const answer = await connection.ask({ type: "complete", text });
  return answer.type === "completed" ? answer : null;
}

async function save(plan: string): Promise<void> {
  const answer = await connection.ask({ type: "save_plan", plan, form: "umrf" });
  if (answer.type === "plan_file") files.keep(answer);
  else if (answer.type === "reply") log.note("refused", answer.text);
}

const side = [trees, devices, log].map((panel) => panel.element);
document.body.append(
  h("header", { class: "top" }, h("h1", {}, "Pilothouse"), installation, link.element, operators.driver, hands.button, new AnswersButton(answers).element, operators.button, stop.button),
  operators.dialog,
  hands.element,
  stop.banner,
  questions.element,
  h("main", { class: "desk" }, scene.element, tabs([...side, graph.element]), h("div", { class: "side" }, ...side),
    graph.element, commandLine.element),
);
connection.connectNow();
if (matchMedia("(pointer: fine)").matches) commandLine.focus(); // on a phone it would raise the keyboard
