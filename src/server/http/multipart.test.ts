import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldText, formParts } from './multipart';

const TYPE = 'multipart/form-data; boundary=----Reef123';
const form = (...parts: [string, Buffer | string][]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([name, content]) => [
      Buffer.from(
        `------Reef123\r\nContent-Disposition: form-data; name="${name}"${typeof content === 'string' ? '' : '; filename="b.reef"\r\nContent-Type: application/octet-stream'}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('------Reef123--\r\n'),
  ]);

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size: number): Promise<[string, boolean, string][]> {
  const found: [string, boolean, string][] = [];
  for await (const part of formParts(pieces(bytes, size), TYPE)) {
    const all: Buffer[] = [];
    for await (const piece of part.bytes()) all.push(piece);
    found.push([part.name, part.isFile, Buffer.concat(all).toString('latin1')]);
  }
  return found;
}

describe('a multipart form with a file', () => {
  it('a form is parsed as it was built, in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 400 }), async (content, size) => {
        // Prefixes of a boundary within the file must not end it.
        const file = Buffer.concat([
          Buffer.from('\r\n------Reef12\r\n--'),
          Buffer.from(content),
          Buffer.from('\r\n------Ree'),
        ]);
        expect(await read(form(['confirm', 'k1'], ['bundle', file], ['more', '']), size)).toEqual([
          ['confirm', false, 'k1'],
          ['bundle', true, file.toString('latin1')],
          ['more', false, ''],
        ]);
      }),
    );
  });

  it('refuses truncated forms and missing names, and skips unread parts', async () => {
    const whole = form(['confirm', 'k1'], ['bundle', Buffer.alloc(100)]);
    for (const at of [0, 5, 30, 80, 150, 250, whole.length - 5])
      await expect(read(whole.subarray(0, at), 50)).rejects.toMatchObject({ code: 'bad-message' });
    await expect(formParts(pieces(whole, 50), 'text/plain').next()).rejects.toMatchObject({ code: 'bad-message' });
    await expect(
      read(Buffer.from('------Reef123\r\nContent-Type: x\r\n\r\nhi\r\n------Reef123--'), 50),
    ).rejects.toMatchObject({ code: 'bad-message' });
    const names: string[] = [];
    for await (const part of formParts(pieces(whole, 7), TYPE)) names.push(part.name);
    expect(names).toEqual(['confirm', 'bundle']);
    const { value } = await formParts(pieces(form(['a', 'x'.repeat(5000)]), 100), TYPE).next();
    await expect(fieldText(value!)).rejects.toMatchObject({ code: 'too-large' });
  });
});
