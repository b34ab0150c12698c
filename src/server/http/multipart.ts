import { ReefError } from '../../domain/errors';

const HEAD_MAX = 8 * 1024;
const FIELD_MAX = 4 * 1024;

/** Part of a form: a field, or a file whose bytes are streamed. */
interface FormPart {
  readonly name: string;
  /** True if the browser sends it as a file. */
  readonly isFile: boolean;
  /** Bytes of the part; read to the end before the next part. */
  bytes(): AsyncGenerator<Buffer>;
}

/**
 * Parses a form with a file (`multipart/form-data`) part by part, with little memory: a bundle may have many gigabytes.
 *
 * @throws ReefError `bad-message` for an invalid or truncated form
 */
export async function* formParts(
  source: AsyncIterable<Uint8Array>,
  type: string | undefined,
): AsyncGenerator<FormPart> {
  const boundary = /^multipart\/form-data;.*\bboundary="?([^";,\s]{1,70})"?/i.exec(type ?? '')?.[1];
  if (boundary === undefined) throw invalidForm();
  const reader = new MultipartReader(source, Buffer.from(`\r\n--${boundary}`, 'latin1'));
  for await (const _before of reader.toBoundary()) continue;
  while (await reader.hasNextPart()) {
    const head = await reader.head();
    const disposition = /^content-disposition: *form-data;(.*)$/im.exec(head)?.[1];
    const name = /\bname="([^"]*)"/.exec(disposition ?? '')?.[1];
    if (name === undefined) throw invalidForm();
    const body = reader.toBoundary();
    yield { name, isFile: /\bfilename\*?=/.test(disposition ?? ''), bytes: () => body };
    for await (const _rest of body) continue;
  }
}

export async function fieldText(part: FormPart): Promise<string> {
  let text = Buffer.alloc(0);
  for await (const bytes of part.bytes()) {
    text = Buffer.concat([text, bytes]);
    if (text.length > FIELD_MAX) throw new ReefError('too-large', { field: part.name });
  }
  return text.toString('utf8');
}

class MultipartReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #mark: Buffer;
  /** A boundary follows the end of a line; the first one follows nothing. */
  #held = Buffer.from('\r\n');

  constructor(source: AsyncIterable<Uint8Array>, mark: Buffer) {
    this.#source = source[Symbol.asyncIterator]();
    this.#mark = mark;
  }

  /** Bytes up to the next boundary, which is consumed. */
  async *toBoundary(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(this.#mark);
      if (at >= 0) {
        const last = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + this.#mark.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end of the buffer may be the start of a boundary.
      const sure = this.#held.length - this.#mark.length + 1;
      if (sure > 0) {
        const piece = this.#held.subarray(0, sure);
        this.#held = this.#held.subarray(sure);
        yield piece;
      }
      await this.#readMore();
    }
  }

  /** True if a part follows the boundary, false at the end. */
  async hasNextPart(): Promise<boolean> {
    while (this.#held.length < 2) await this.#readMore();
    const next = this.#held.subarray(0, 2).toString('latin1');
    this.#held = this.#held.subarray(2);
    if (next !== '--' && next !== '\r\n') throw invalidForm();
    return next === '\r\n';
  }

  async head(): Promise<string> {
    let end = this.#held.indexOf('\r\n\r\n');
    for (; end < 0; end = this.#held.indexOf('\r\n\r\n')) {
      if (this.#held.length > HEAD_MAX) throw invalidForm();
      await this.#readMore();
    }
    const head = this.#held.subarray(0, end).toString('utf8');
    // The boundary may follow at once, and begins with the end of this line.
    this.#held = this.#held.subarray(end + 4);
    return head;
  }

  async #readMore(): Promise<void> {
    const { value, done } = await this.#source.next();
    if (done === true)
      throw new ReefError('bad-message', { field: 'body', message: 'The file did not come whole. Send it again.' });
    this.#held = Buffer.concat([this.#held, value]);
  }
}

function invalidForm(): ReefError {
  return new ReefError('bad-message', { field: 'body', message: 'The form could not be read.' });
}
