// The 3-D window: renderer, camera, light, floor grid. Draws only when something has changed.
// What is in it is a stage's (stage.ts), how one looks around in it an orbit's (orbit.ts).

import * as THREE from "three";

export class Viewport {
  readonly isWorn = false;
  readonly scene = new THREE.Scene();
  /** Of what stands in the world's axes. */
  readonly parent: THREE.Object3D = this.scene;
  readonly camera = new THREE.PerspectiveCamera(50, 1, 0.05, 100);
  readonly grid: THREE.Group;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly beforeRender: (() => void)[] = [];
  private readonly resized: (() => void)[] = [];
  private wanted = false;

  /** Throws an Error if this browser cannot draw in three dimensions. */
  constructor(private readonly container: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Three-dimensional picture of the robot, the room and what the sensors measure");
    canvas.tabIndex = 0;
    container.prepend(canvas);

    this.scene.background = new THREE.Color(0x0b0f13);
    this.scene.fog = new THREE.Fog(0x0b0f13, 14, 40);
    this.scene.add(new THREE.HemisphereLight(0xdfe9f2, 0x3b4148, 2.0));
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    sun.position.set(-3, -5, 8);
    this.scene.add(sun);
    this.grid = floorGrid();
    this.scene.add(this.grid);

    this.camera.up.set(0, 0, 1);
    new ResizeObserver(() => this.resize()).observe(container);
    this.resize();
    canvas.addEventListener("webglcontextrestored", () => this.invalidate());
  }

  /** Where it is drawn; it takes pointers and keys. */
  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  /** Called before each picture is drawn. */
  onBeforeRender(callback: () => void): void {
    this.beforeRender.push(callback);
  }

  /** Called when the window has got another size, and the camera another angle. */
  onResize(callback: () => void): void {
    this.resized.push(callback);
  }

  /** Something has changed: draw at the next opportunity. */
  invalidate(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      for (const callback of this.beforeRender) callback();
      this.renderer.render(this.scene, this.camera);
    });
  }

  /** Where a point of the world is in the window [px]; null if it is behind the viewer. */
  project(point: THREE.Vector3): { x: number; y: number } | null {
    const at = point.clone().project(this.camera);
    if (at.z > 1) return null;
    const { clientWidth, clientHeight } = this.container;
    return { x: ((at.x + 1) / 2) * clientWidth, y: ((1 - at.y) / 2) * clientHeight };
  }

  /** How large something one metre wide is at one metre's distance [device px]. */
  get pixelsPerMetre(): number {
    return this.canvas.height / (2 * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.container;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.camera.aspect = clientWidth / clientHeight;
    // A tall window sees as far to the sides as a wide one would.
    this.camera.fov = this.camera.aspect < 1.1 ? 68 : 50;
    this.camera.updateProjectionMatrix();
    this.renderer.setSize(clientWidth, clientHeight);
    for (const callback of this.resized) callback();
    this.invalidate();
  }
}

function floorGrid(): THREE.Group {
  const group = new THREE.Group();
  const lines = new THREE.GridHelper(16, 16, 0x3c4c59, 0x24303a);
  lines.rotateX(Math.PI / 2);
  lines.position.z = 0.002;
  const origin = new THREE.AxesHelper(0.4);
  origin.position.z = 0.004;
  group.add(lines, origin);
  return group;
}
