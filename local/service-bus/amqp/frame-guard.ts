import { MalformedEncoding, valueEnd } from "../codec/scan.ts";

const protocolHeaderBytes = 8;
const headerMagic = 0x41_4d_51_50; // "AMQP"

/**
 * Stands between the socket and the AMQP library and lets only whole, well-formed frames of a permitted size through.
 * Without it a peer could make the library collect a frame of gigabytes or build an array of billions of nothings.
 */
export class FrameGuard {
  readonly #maxFrameBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #wanted = protocolHeaderBytes;
  #headersLeft = 2;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Takes what the socket gave and returns the whole frames in it, if any. Throws when the peer breaks the rules. */
  push(chunk: Buffer): Buffer | undefined {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < this.#wanted) return undefined;
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held, this.#heldBytes);
    const end = this.#wholeFrames(bytes);
    this.#held = end < bytes.length ? [bytes.subarray(end)] : [];
    this.#heldBytes = bytes.length - end;
    return end > 0 ? bytes.subarray(0, end) : undefined;
  }

  #wholeFrames(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      this.#wanted = protocolHeaderBytes;
      if (bytes.length - at < this.#wanted) return at;
      const size = this.#unitBytes(bytes, at);
      this.#wanted = size;
      if (bytes.length - at < size) return at;
      if (size > protocolHeaderBytes) checkFrame(bytes.subarray(at, at + size));
      at += size;
    }
  }

  #unitBytes(bytes: Buffer, at: number): number {
    const size = bytes.readUInt32BE(at);
    if (size === headerMagic && this.#headersLeft > 0) {
      this.#headersLeft--;
      return protocolHeaderBytes;
    }
    if (this.#headersLeft === 2) throw new MalformedEncoding("the peer does not speak AMQP");
    if (size < protocolHeaderBytes || size > this.#maxFrameBytes) {
      throw new MalformedEncoding(`a frame of ${size} bytes is not allowed`);
    }
    return size;
  }
}

/** A frame's extended header and performative must be inside it, and the performative sound. */
function checkFrame(frame: Buffer): void {
  const start = (frame[4] ?? 0) * 4;
  if (start < protocolHeaderBytes || start > frame.length)
    throw new MalformedEncoding("a frame has a bad data offset");
  if (start < frame.length) valueEnd(frame, start, frame.length);
}
