/** TCP connection that sends exactly the bytes of a test, for requests and frames that no library would send. */
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { EDGE_SOCKET_PATH } from '../../../src/protocol/edge-socket';

export class RawSocket {
  /** All that came, as text. */
  received = '';
  /** Resolves when the connection is destroyed, by whichever side. */
  readonly closed: Promise<void>;
  isOpen = true;
  #changed: (() => void)[] = [];

  private constructor(readonly socket: net.Socket) {
    socket.on('data', (part: Buffer) => {
      this.received += part.toString('latin1');
      this.#notify();
    });
    socket.on('error', () => undefined);
    let probe: NodeJS.Timeout | undefined;
    // The other end may have closed its half alone: only a destroyed connection refuses what is still sent.
    socket.once('end', () => (probe = setInterval(() => socket.write('\0'), 20)));
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        clearInterval(probe);
        this.isOpen = false;
        this.#notify();
        resolve();
      });
    });
  }

  /** @param address of this end, such as 127.0.0.2 */
  static async open(url: string, address = '127.0.0.1'): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    // Never closes its half in answer to the other end's.
    const socket = net.connect({ host: hostname, port: Number(port), localAddress: address, allowHalfOpen: true });
    const raw = new RawSocket(socket);
    await new Promise((resolve) => {
      socket.once('connect', resolve);
      socket.once('close', resolve);
    });
    return raw;
  }

  /** WebSocket of a box, opened by hand; its own bytes are counted from here. */
  static async webSocket(url: string, address?: string): Promise<RawSocket> {
    const raw = await RawSocket.open(url, address);
    raw.send(
      `GET ${EDGE_SOCKET_PATH}/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    );
    await raw.says('"sid"');
    return raw;
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Waits for a text; rejects if the connection closes first. */
  async says(text: string): Promise<void> {
    while (!this.received.includes(text)) {
      if (!this.isOpen) throw new Error(`closed before it said ${text}: ${this.received.slice(-500)}`);
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  close(): void {
    this.socket.destroy();
  }

  #notify(): void {
    for (const listener of this.#changed.splice(0)) listener();
  }
}

/** Text frame of a WebSocket client (RFC 6455, 5.2), with a mask of zeros. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const size =
    length < 126
      ? Buffer.from([0x80 | length])
      : length < 65_536
        ? Buffer.from([0x80 | 126, length >> 8, length & 255])
        : Buffer.concat([Buffer.from([0x80 | 127, 0, 0, 0, 0]), uint32(length)]);
  return Buffer.concat([Buffer.from([0x81]), size, Buffer.alloc(4), payload]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
