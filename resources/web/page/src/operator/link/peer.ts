// One peer connection, answered: the other side offers, always.

import type { Answer, Candidate, Offer } from "./protocol";

export class Peer {
  /** What the page may send sound by; null: none was agreed upon. */
  sender: RTCRtpSender | null = null;
  private readonly connection: RTCPeerConnection;

  /** Candidates go out through `send` as they are found; onLost is called once, when it is broken for good. */
  constructor(
    private readonly offer: Offer,
    private readonly send: (signal: Answer | Candidate) => void,
    onChannel: (channel: RTCDataChannel) => void,
    onLost: (words: string) => void,
  ) {
    this.connection = new RTCPeerConnection({
      iceServers: offer.ice.map(({ urls, username, credential }) => ({ urls: [...urls], username, credential })),
      iceTransportPolicy: offer.relay_only ? "relay" : "all",
    });
    this.connection.ondatachannel = ({ channel }) => {
      channel.binaryType = "arraybuffer";
      onChannel(channel);
    };
    this.connection.onicecandidate = ({ candidate }) => {
      this.send({ type: "candidate", link: offer.link, candidate: candidate?.candidate ?? "", mid: candidate?.sdpMid ?? "" });
    };
    this.connection.onconnectionstatechange = () => {
      if (this.connection.connectionState === "failed") onLost(offer.relay_only ? "no way through the relay (TURN)" : "no way through the network");
      if (this.connection.connectionState === "closed") onLost("the other side ended it");
    };
  }

  /** Throws a DOMException if the offer is none. */
  async answer(): Promise<void> {
    await this.connection.setRemoteDescription({ type: "offer", sdp: this.offer.sdp });
    const audio = this.connection.getTransceivers().find(({ receiver }) => receiver.track.kind === "audio");
    if (audio !== undefined) audio.direction = "sendonly"; // without a track: the microphone is asked for when it is wanted
    await this.connection.setLocalDescription();
    if (audio?.currentDirection === "sendonly") this.sender = audio.sender;
    this.send({ type: "answer", link: this.offer.link, sdp: this.connection.localDescription?.sdp ?? "" });
  }

  close(): void {
    this.connection.onconnectionstatechange = null;
    this.connection.close();
  }
}
