// What cannot be felt is heard: a click for a knock, a low tone while the arm presses. Browsers make no sound before
// the person has touched the page, so this begins with the first touch.

const TONE_HZ = 140;
const LOUDEST = 0.25;

export class Sounds {
  private audio: AudioContext | null = null;
  private tone: GainNode | null = null;
  /** The person wants it: always, or only where nothing can be felt. */
  wanted = true;

  /** Call in a touch or click. */
  begin(): void {
    if (this.audio !== null || typeof AudioContext === "undefined") return;
    this.audio = new AudioContext();
    const tone = this.audio.createOscillator();
    tone.frequency.value = TONE_HZ;
    this.tone = this.audio.createGain();
    this.tone.gain.value = 0;
    tone.connect(this.tone).connect(this.audio.destination);
    tone.start();
  }

  /** `instead`: nothing else says it. */
  play(knock: number, press: number, instead: boolean): void {
    if (this.audio === null || this.tone === null) return;
    const loud = this.wanted && instead;
    this.tone.gain.setTargetAtTime(loud ? LOUDEST * Math.min(1, press) : 0, this.audio.currentTime, 0.02);
    if (loud && knock > 0) this.click(Math.min(1, knock));
  }

  private click(strength: number): void {
    const audio = this.audio!;
    const click = audio.createOscillator();
    const gain = audio.createGain();
    click.frequency.value = 900;
    gain.gain.setValueAtTime(LOUDEST * (0.4 + 0.6 * strength), audio.currentTime);
    gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.06);
    click.connect(gain).connect(audio.destination);
    click.start();
    click.stop(audio.currentTime + 0.07);
  }
}
