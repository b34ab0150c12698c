import { expect, test } from 'vitest';
import { encodePreview } from './make-preview';

/** Canvas of an engine that writes these formats, and PNG for any other, as the HTML standard says. */
function canvasOf(formats: readonly string[]): Pick<HTMLCanvasElement, 'toBlob'> {
  return {
    toBlob: (call, type = 'image/png') =>
      call(new Blob(['picture'], { type: formats.includes(type) ? type : 'image/png' })),
  };
}

test.each([
  [['image/webp', 'image/jpeg'], 'image/webp'],
  [['image/jpeg'], 'image/jpeg'],
  [[], undefined],
])('2§3 preview: an engine that writes %j yields %s', async (formats, type) => {
  expect((await encodePreview(canvasOf(formats)))?.type).toBe(type);
});

test('a canvas that cannot be written yields no preview', async () => {
  expect(await encodePreview({ toBlob: (call) => call(null) })).toBeNull();
});
