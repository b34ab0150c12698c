import type { Seeded } from '../seed';

/**
 * Cuts one direction of a WebSocket connection into whole socket.io messages, so that a proxy may duplicate or swap
 * them unnoticed by the client. Everything other than socket.io events and acknowledgements (handshake, pings,
 * connects) passes unchanged.
 */
export class MessageCutter {
  #pending: Buffer = Buffer.alloc(0);
  /** Plain HTTP on the same port passes unchanged. */
  #state: 'head' | 'frames' | 'plain' = 'head';
  #message: Buffer[] = [];
  #attachmentsLeft = 0;

  /** Everything complete so far, in order; `whole` marks a piece that is one socket.io event or acknowledgement. */
  push(bytes: Buffer): { bytes: Buffer; whole: boolean }[] {
    if (this.#state === 'plain') return [{ bytes, whole: false }];
    this.#pending = Buffer.concat([this.#pending, bytes]);
    const out: { bytes: Buffer; whole: boolean }[] = [];
    if (this.#state === 'head') {
      const end = this.#pending.indexOf('\r\n\r\n');
      if (end < 0) return out;
      this.#state = /^upgrade: *websocket/im.test(this.#pending.subarray(0, end).toString('latin1'))
        ? 'frames'
        : 'plain';
      out.push({ bytes: this.#take(this.#state === 'frames' ? end + 4 : this.#pending.length), whole: false });
      if (this.#state === 'plain') return out;
    }
    for (let frame = this.#frame(); frame !== undefined; frame = this.#frame()) {
      const piece = this.#group(frame);
      if (piece !== undefined) out.push(piece);
    }
    return out;
  }

  #group(frame: { bytes: Buffer; opcode: number; payload: Buffer }): { bytes: Buffer; whole: boolean } | undefined {
    if (frame.opcode === 1) {
      const text = frame.payload.toString('utf8');
      const binary = /^4[56](\d+)-/.exec(text);
      if (binary === null) return { bytes: frame.bytes, whole: /^4[23]/.test(text) };
      this.#attachmentsLeft = Number(binary[1]);
      this.#message = [frame.bytes];
      return undefined;
    }
    if (frame.opcode !== 2 || this.#attachmentsLeft === 0) return { bytes: frame.bytes, whole: false };
    this.#message.push(frame.bytes);
    this.#attachmentsLeft -= 1;
    return this.#attachmentsLeft > 0 ? undefined : { bytes: Buffer.concat(this.#message), whole: true };
  }

  #frame(): { bytes: Buffer; opcode: number; payload: Buffer } | undefined {
    const [first, second] = [this.#pending[0], this.#pending[1]];
    if (first === undefined || second === undefined) return undefined;
    const short = second & 127;
    let head = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
    if (this.#pending.length < head) return undefined;
    const length =
      short === 126 ? this.#pending.readUInt16BE(2) : short === 127 ? Number(this.#pending.readBigUInt64BE(2)) : short;
    const masked = (second & 128) !== 0;
    const mask = masked ? this.#pending.subarray(head, head + 4) : undefined;
    if (masked) head += 4;
    if (this.#pending.length < head + length) return undefined;
    const bytes = this.#take(head + length);
    const payload = Buffer.from(bytes.subarray(head));
    if (mask !== undefined) {
      const key = Buffer.from(bytes.subarray(head - 4, head));
      for (let i = 0; i < payload.length; i += 1) payload[i] = (payload[i] ?? 0) ^ (key[i & 3] ?? 0);
    }
    return { bytes, opcode: first & 15, payload };
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    return taken;
  }
}

/** Rates at which messages are duplicated or swapped with the next one, and how long one waits for a next one. */
export interface Shuffle {
  duplicate: number;
  swap: number;
  replay: number;
  holdMs: number;
}

/** Forwards each whole message, sometimes twice, after its successor, or once more much later; seeded. */
export class MessageShuffler {
  readonly #cutter = new MessageCutter();
  #held: Buffer | undefined;
  #old: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;

  readonly #rates: () => Shuffle | undefined;
  readonly #random: Seeded;
  readonly #send: (bytes: Buffer) => void;
  readonly #counts: { duplicated: number; swapped: number; replayed: number };

  constructor(
    rates: () => Shuffle | undefined,
    random: Seeded,
    send: (bytes: Buffer) => void,
    counts: { duplicated: number; swapped: number; replayed: number },
  ) {
    this.#rates = rates;
    this.#random = random;
    this.#send = send;
    this.#counts = counts;
  }

  push(bytes: Buffer): void {
    for (const piece of this.#cutter.push(bytes)) {
      if (piece.whole) this.#message(piece.bytes);
      else this.#send(piece.bytes);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #message(bytes: Buffer): void {
    if (this.#held !== undefined) {
      this.#send(bytes);
      this.#counts.swapped += 1;
      this.#release();
      return;
    }
    const rates = this.#rates();
    if (rates === undefined) {
      this.#send(bytes);
      return;
    }
    if (this.#random.fraction() < rates.swap) {
      this.#held = bytes;
      this.#timer = setTimeout(() => this.#release(), rates.holdMs);
      return;
    }
    this.#send(bytes);
    if (this.#random.fraction() < rates.duplicate) {
      this.#counts.duplicated += 1;
      this.#send(bytes);
    }
    if (this.#old.length > 0 && this.#random.fraction() < rates.replay) {
      this.#counts.replayed += 1;
      this.#send(this.#random.pick(this.#old));
    }
    this.#old = [...this.#old.slice(-7), bytes];
  }

  #release(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#send(held);
  }
}
