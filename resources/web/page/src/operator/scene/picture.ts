// What the operator sees: the window or the headset's eyes, light, floor, and the robot's frame R inside of the
// browser's space W. Draws at a desk only when something has changed. Who moves the eye: a desk's mouse or finger
// (desk_eye.ts), or in a session the device itself.

import * as THREE from "three";
import { inverse, type Pose, type Vector } from "../view/pose";
import { place } from "./arm_figure";
import { Board } from "./board";
import { DeskEye } from "./desk_eye";
import { Fineness } from "./fineness";
import { shiftFor, type Part, type Point } from "./free_part";
import { graphics } from "./graphics";

const GROUND = 0x0b0f13;

export class Picture {
  /** Everything in the robot's axes hangs here. */
  readonly robot = new THREE.Group();
  readonly board = new Board();
  readonly desk: DeskEye;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(50, 1, 0.02, 60);
  private readonly renderer: THREE.WebGLRenderer;
  private readonly backdrop = new THREE.Mesh(
    new THREE.SphereGeometry(40, 16, 12),
    new THREE.MeshBasicMaterial({ color: GROUND, side: THREE.BackSide, fog: false }),
  );
  private readonly beforeRender: (() => void)[] = [];
  private wanted = true;
  private hasBoard = false;
  private hidesRoom = false;
  private readonly graphics = graphics();
  private readonly fineness = new Fineness(Math.min(devicePixelRatio, 2));
  private drawnAt = -Infinity;
  private free: Part | null = null;
  private shift: Point = [0, 0];

  /** Throws an Error if this browser cannot draw in three dimensions. `onFrame`: before each, with XR's own in a session. */
  constructor(private readonly container: HTMLElement, onFrame: (now: number, frame: XRFrame | null) => void) {
    this.renderer = new THREE.WebGLRenderer({ antialias: this.graphics.smooth, alpha: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(this.fineness.pixelRatio);
    this.renderer.setClearColor(GROUND);
    this.renderer.xr.enabled = true;
    this.renderer.xr.setReferenceSpaceType("local");
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Three-dimensional picture of the arm, its target and what the camera sees");
    container.prepend(canvas);
    this.scene.fog = new THREE.Fog(GROUND, 8, 30);
    this.scene.add(new THREE.HemisphereLight(0xdfe9f2, 0x3b4148, 2.2));
    const sun = new THREE.DirectionalLight(0xffffff, 1.5);
    sun.position.set(-3, -5, 8);
    const floor = new THREE.GridHelper(6, 12, 0x3c4c59, 0x24303a);
    floor.rotateX(Math.PI / 2);
    this.robot.add(sun, sun.target, floor);
    this.backdrop.visible = false;
    this.scene.add(this.robot, this.backdrop, this.board.object);
    this.desk = new DeskEye(this.camera, canvas, () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(container);
    this.resize();
    this.renderer.setAnimationLoop((now, frame) => {
      onFrame(now, frame ?? null);
      if (this.renderer.xr.isPresenting) {
        if (this.hasBoard) this.board.follow(this.renderer.xr.getCamera());
        for (const callback of this.beforeRender) callback();
        this.renderer.render(this.scene, this.camera);
      } else if (this.wanted) {
        this.wanted = false;
        for (const callback of this.beforeRender) callback();
        this.renderer.render(this.scene, this.camera);
        const after = now - this.drawnAt;
        this.drawnAt = now;
        if (this.fineness.took(after)) this.renderer.setPixelRatio(this.fineness.pixelRatio);
      }
    });
  }

  /** The session's space; null outside of one. */
  get space(): XRReferenceSpace | null {
    return this.renderer.xr.isPresenting ? this.renderer.xr.getReferenceSpace() : null;
  }

  /** Called before each picture is drawn. */
  onBeforeRender(callback: () => void): void {
    this.beforeRender.push(callback);
  }

  /** What stands in the robot's axes. */
  get parent(): THREE.Object3D {
    return this.robot;
  }

  /** Whether a headset shows it: nothing of the page is seen there. */
  get isWorn(): boolean {
    return this.renderer.xr.isPresenting && this.hasBoard;
  }

  /** Where a point of the robot's frame is in the window [CSS px]; null: behind the eye, or in a headset. */
  project(point: THREE.Vector3): { x: number; y: number } | null {
    if (this.isWorn) return null;
    const camera = this.renderer.xr.isPresenting ? this.renderer.xr.getCamera().cameras[0] ?? this.camera : this.camera;
    this.robot.updateMatrixWorld();
    const at = point.clone().applyMatrix4(this.robot.matrixWorld).project(camera);
    if (at.z > 1) return null;
    const { clientWidth, clientHeight } = this.container;
    return { x: ((at.x + 1) / 2) * clientWidth, y: ((1 - at.y) / 2) * clientHeight };
  }

  /** Something has changed: draw at the next opportunity. */
  invalidate(): void {
    this.wanted = true;
  }

  /** What of the window no panel covers: the picture's middle is there, in a session excepted. */
  frame(free: Part): void {
    this.free = free;
    this.aim();
  }

  /** Move the picture as far as it takes to have this point of the robot's frame where no panel is. */
  keepInView(point: Vector | null): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (point === null || this.free === null || width === 0 || this.renderer.xr.isPresenting) return;
    this.robot.updateMatrixWorld();
    const seen = new THREE.Vector3(...point).applyMatrix4(this.robot.matrixWorld).project(this.camera);
    if (seen.z > 1) return; // behind the eye
    const [x, y] = [((seen.x + 1) / 2) * width - this.shift[0], ((1 - seen.y) / 2) * height - this.shift[1]];
    const [right, down] = shiftFor([x, y], this.free, { width, height });
    if (Math.hypot(right - this.shift[0], down - this.shift[1]) < 0.5) return;
    this.shift = [right, down];
    this.aim();
  }

  /** Where the robot stands in W. */
  put(R_T_W: Pose): void {
    place(this.robot, inverse(R_T_W));
    this.invalidate();
  }

  /** The desk's eye in W. */
  get W_T_eye(): Pose {
    const { position: p, quaternion: q } = this.camera;
    return { p: [p.x, p.y, p.z], q: [q.x, q.y, q.z, q.w] };
  }

  /** How large something one metre wide is at one metre's distance [device px]. */
  get pixelsPerMetre(): number {
    return this.renderer.domElement.height / (2 * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  /**
   * Draw for this session from now on; returns when it has begun.
   * room: what stands around the operator may be seen. board: there is no page to say things on.
   */
  async present(session: XRSession, room: boolean, board: boolean): Promise<void> {
    this.hidesRoom = !board;
    this.showRoom(room);
    this.hasBoard = board;
    this.scene.fog = null;
    this.desk.enabled = false;
    this.board.object.visible = false;
    session.addEventListener("end", () => {
      this.backdrop.visible = this.hidesRoom = false;
      this.board.object.visible = false;
      this.scene.fog = new THREE.Fog(GROUND, 8, 30);
      this.desk.enabled = true;
      this.resize();
    });
    // What was too fine at the desk is so here, and cannot be changed any more.
    this.renderer.xr.setFramebufferScaleFactor(Math.min(this.graphics.sessionPixels, this.fineness.pixelRatio));
    await this.renderer.xr.setSession(session);
  }

  /** On a phone: whether its camera's picture is seen behind the scene. */
  showRoom(room: boolean): void {
    this.backdrop.visible = this.hidesRoom && !room;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.container;
    if (clientWidth === 0 || clientHeight === 0 || this.renderer.xr.isPresenting) return;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.fov = this.camera.aspect < 1 ? 70 : 48; // a tall window sees as far to the sides as a wide one would
    this.renderer.setSize(clientWidth, clientHeight);
    this.aim();
  }

  /** What the eye looks straight at, in the window [CSS px]. */
  get middle(): Point {
    const { clientWidth: width, clientHeight: height } = this.container;
    const { left, top, width: across, height: down } = this.free ?? { left: 0, top: 0, width, height };
    return [left + across / 2 + this.shift[0], top + down / 2 + this.shift[1]];
  }

  /** Put the picture's middle where it is to be. */
  private aim(): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (width === 0 || height === 0 || this.renderer.xr.isPresenting) return;
    const [x, y] = this.middle;
    this.camera.setViewOffset(width, height, width / 2 - x, height / 2 - y, width, height);
    this.invalidate();
  }
}
