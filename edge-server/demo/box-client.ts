import { io, type Socket } from 'socket.io-client';
import { isObject } from '../../src/domain/json';
import type { Op } from '../../src/domain/op/op';
import { EDGE_SOCKET_PATH } from '../../src/protocol/edge-socket';
import type { Receipt } from '../../src/protocol/receipt';
import { requestBox, type RunningBox } from '../commands/running-box';

const TIMEOUT_MS = 60_000;

/** Failure of a demo command, with a readable message. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** Unreachable box; the work resumes when it is back. */
export class BoxUnreachableError extends DemoError {}

/** Photograph to send; its bytes go before its record. */
interface PhotographUpload {
  readonly surveyId: string;
  readonly imageId: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly type: string;
}

/**
 * Client that acts like any tablet: pairs with the code, then sends profile, survey, path, bytes and record, each after
 * the previous receipt.
 */
export class BoxClient {
  readonly #socket: Socket;
  #chunkBytes = 256 * 1024;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** @throws DemoError if the box does not reply or rejects the pairing */
  static async open(box: RunningBox, device: { readonly id: string; readonly name: string }): Promise<BoxClient> {
    const code = await pairingCode(box);
    const socket = io(box.origin, {
      path: EDGE_SOCKET_PATH,
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      ...(box.ca === undefined ? {} : { ca: box.ca }),
    } as Parameters<typeof io>[1]);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', (error) => {
        socket.disconnect();
        reject(new BoxUnreachableError(`The box at ${box.origin} does not answer: ${error.message}`, { cause: error }));
      });
    });
    const client = new BoxClient(socket);
    try {
      const reply = await client.#request('verify', {
        protocol: { min: 1, max: 1 },
        app: { version: 'demo' },
        device,
        ...(code === null ? {} : { code }),
      });
      const limits = reply['limits'];
      if (isObject(limits) && typeof limits['chunkBytes'] === 'number') client.#chunkBytes = limits['chunkBytes'];
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /**
   * Sends an operation under the event of its kind.
   * @throws DemoError
   */
  async send(op: Op): Promise<Receipt> {
    const { receipt } = await this.#request(op.kind === 'image' ? 'image:record' : op.kind, { op });
    return receipt as unknown as Receipt;
  }

  /**
   * Sends a photograph's bytes from the offset the box reports.
   * @throws DemoError
   */
  async sendBytes({ bytes, ...notice }: PhotographUpload): Promise<void> {
    const upload = await this.#request('image:path', { ...notice, bytes: bytes.length });
    let offset = Number(upload['offset']);
    while (offset < bytes.length) {
      const { offset: next } = await this.#request(
        'image:binary',
        { uploadId: upload['uploadId'], offset },
        Buffer.from(bytes.subarray(offset, offset + this.#chunkBytes)),
      );
      if (!(Number(next) > offset)) throw new DemoError('The box accepts no more photographs for now.');
      offset = Number(next);
    }
  }

  close(): void {
    this.#socket.disconnect();
  }

  async #request(event: string, ...args: unknown[]): Promise<Record<string, unknown>> {
    let onDisconnect = (_reason: string): void => undefined;
    const disconnected = new Promise<never>((_resolve, reject) => {
      onDisconnect = (reason) => reject(new Error(reason));
    });
    this.#socket.once('disconnect', onDisconnect);
    // A socket that closed earlier reports nothing now.
    if (!this.#socket.connected) onDisconnect('not connected');
    const answer: unknown = await Promise.race([
      this.#socket.timeout(TIMEOUT_MS).emitWithAck(event, ...args),
      disconnected,
    ])
      .catch((error: unknown) => {
        throw new BoxUnreachableError(
          `The box did not answer to "${event}". Start it again and run the same command: what it has is not sent twice.`,
          { cause: error },
        );
      })
      .finally(() => this.#socket.off('disconnect', onDisconnect));
    if (isObject(answer) && answer['ok'] === true) return answer;
    const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : {};
    throw new DemoError(`The box refused "${event}": ${String(error['code'])}, ${String(error['message'])}`);
  }
}

async function pairingCode(box: RunningBox): Promise<string | null> {
  const { status, text } = await requestBox(box, 'GET', '/edge/pairing').catch((error: unknown) => {
    throw new BoxUnreachableError(
      `No box answers at ${box.origin}: start it first, or set EDGE_PORT or EDGE_URL as it was started with. (${error instanceof Error ? error.message : String(error)})`,
      { cause: error },
    );
  });
  if (status !== 200)
    throw new DemoError(`The box at ${box.origin} does not say its pairing code (${status}): ${text.slice(0, 200)}`);
  return (JSON.parse(text) as { code: string | null }).code;
}
