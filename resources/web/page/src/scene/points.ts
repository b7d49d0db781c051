// A cloud of coloured points, drawn straight from the bytes that came; grey when it is old news.

import * as THREE from "three";
import { POINT_BYTES } from "../protocol";

const VERTEX = `
  attribute vec4 colour;
  uniform float metres;
  uniform float pixelsPerMetre;
  uniform float smallest;
  varying vec3 seen;
  uniform float grey;
  void main() {
    vec4 at = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * at;
    gl_PointSize = clamp(metres * pixelsPerMetre / -at.z, smallest, 9.0);
    float light = dot(colour.rgb, vec3(0.3, 0.59, 0.11));
    seen = mix(colour.rgb, vec3(0.25 + 0.35 * light), grey);
  }
`;
// The bytes are what the camera's picture shows: they go to the screen as they are.
const FRAGMENT = `
  varying vec3 seen;
  void main() { gl_FragColor = vec4(seen, 1.0); }
`;

/** Its bounds would have to be found anew for each sample. */
const EVERYWHERE = new THREE.Sphere(new THREE.Vector3(), Infinity);

export class Points {
  readonly object: THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private capacity = 0;
  private bytes = new Uint8Array(0);
  private positions = new THREE.InterleavedBuffer(new Float32Array(0), 4);
  private colours = new THREE.InterleavedBuffer(new Uint8Array(0), POINT_BYTES);

  /** `metres`: size of a point; `smallest`: its least size on the screen [px]. */
  constructor(metres: number, smallest: number) {
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        metres: { value: metres },
        smallest: { value: smallest },
        pixelsPerMetre: { value: 500 },
        grey: { value: 0 },
      },
    });
    this.object = new THREE.Points(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
  }

  /** Show these points, 16 bytes each. */
  set(points: Uint8Array): void {
    const count = points.byteLength / POINT_BYTES;
    if (count > this.capacity) this.grow(count);
    this.bytes.set(points);
    for (const buffer of [this.positions, this.colours]) {
      buffer.clearUpdateRanges();
      buffer.addUpdateRange(0, count * buffer.stride);
      buffer.needsUpdate = true;
    }
    this.object.geometry.setDrawRange(0, count);
  }

  setGrey(grey: boolean): void {
    this.object.material.uniforms["grey"]!.value = grey ? 1 : 0;
  }

  /** `pixelsPerMetre`: of something one metre away. */
  setScale(pixelsPerMetre: number): void {
    this.object.material.uniforms["pixelsPerMetre"]!.value = pixelsPerMetre;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  private grow(count: number): void {
    this.capacity = Math.max(count, 2 * this.capacity, 1024);
    const buffer = new ArrayBuffer(this.capacity * POINT_BYTES);
    this.bytes = new Uint8Array(buffer);
    this.positions = new THREE.InterleavedBuffer(new Float32Array(buffer), POINT_BYTES / 4);
    this.colours = new THREE.InterleavedBuffer(this.bytes, POINT_BYTES);
    for (const each of [this.positions, this.colours]) each.setUsage(THREE.DynamicDrawUsage);
    const geometry = this.object.geometry;
    geometry.dispose(); // a new buffer under an old name would not be seen
    geometry.boundingSphere = EVERYWHERE;
    geometry.setAttribute("position", new THREE.InterleavedBufferAttribute(this.positions, 3, 0));
    geometry.setAttribute("colour", new THREE.InterleavedBufferAttribute(this.colours, 4, 12, true));
  }
}
