import { describe, expect, test } from 'vitest';
import { cameraFacts } from './camera-facts';

/** Little-endian TIFF with only EXIF and GPS directories, wrapped into the head of a JPEG. */
function jpegWithExif(
  altitudeRef: number,
  zone?: string,
  model = 'Underwater 7',
  degrees: [type: number, number] = [5, 16],
): Uint8Array {
  const data: number[] = [];
  const u16 = (value: number): number[] => [value & 0xff, value >> 8];
  const u32 = (value: number): number[] => [...u16(value & 0xffff), ...u16(value >>> 16)];
  const DATA_AT = 400;
  const outside = (bytes: number[]): number[] => {
    const at = DATA_AT + data.length;
    data.push(...bytes);
    return u32(at);
  };
  const ascii = (tag: number, text: string): number[] => {
    const bytes = [...new TextEncoder().encode(text), 0];
    return [
      ...u16(tag),
      ...u16(2),
      ...u32(bytes.length),
      ...(bytes.length <= 4 ? [...bytes, 0, 0, 0].slice(0, 4) : outside(bytes)),
    ];
  };
  const rationals = (tag: number, values: [number, number][], type = 5): number[] => [
    ...u16(tag),
    ...u16(type),
    ...u32(values.length),
    ...outside(values.flatMap(([a, b]) => [...u32(a), ...u32(b)])),
  ];
  const directory = (entries: number[][]): number[] => [...u16(entries.length), ...entries.flat(), ...u32(0)];
  const EXIF_AT = 60;
  const GPS_AT = 160;
  const main = directory([
    ascii(0x0110, model),
    [...u16(0x8769), ...u16(4), ...u32(1), ...u32(EXIF_AT)],
    [...u16(0x8825), ...u16(4), ...u32(1), ...u32(GPS_AT)],
  ]);
  const exif = directory([ascii(0x9003, '2026:11:20 08:09:10'), ...(zone === undefined ? [] : [ascii(0x9011, zone)])]);
  const gps = directory([
    ascii(1, 'S'),
    rationals(
      2,
      [
        [degrees[1], 1],
        [30, 1],
        [0, 1],
      ],
      degrees[0],
    ),
    ascii(3, 'E'),
    rationals(4, [
      [145, 1],
      [45, 1],
      [36, 1],
    ]),
    [...u16(5), ...u16(1), ...u32(1), altitudeRef, 0, 0, 0],
    rationals(6, [[12, 1]]),
  ]);
  const tiff = new Uint8Array(DATA_AT + data.length);
  tiff.set([0x49, 0x49, 0x2a, 0, ...u32(8)], 0);
  tiff.set(main, 8);
  tiff.set(exif, EXIF_AT);
  tiff.set(gps, GPS_AT);
  tiff.set(data, DATA_AT);
  const length = tiff.length + 8;
  return new Uint8Array([
    0xff,
    0xd8,
    0xff,
    0xe1,
    length >> 8,
    length & 0xff,
    0x45,
    0x78,
    0x69,
    0x66,
    0,
    0,
    ...tiff,
    0xff,
    0xd9,
  ]);
}

describe('1§3: camera facts of a photograph', () => {
  test('a time without a zone stays camera time, south is negative, and a depth keeps its sign', async () => {
    expect(await cameraFacts(jpegWithExif(1))).toEqual({
      takenAt: '2026-11-20T08:09:10',
      model: 'Underwater 7',
      position: { lat: -16.5, lng: 145.76, altitude: -12 },
    });
    expect((await cameraFacts(jpegWithExif(0))).position?.altitude).toBe(12);
  });

  test('a zone written by the camera is retained', async () => {
    expect((await cameraFacts(jpegWithExif(0, '+10:00'))).takenAt).toBe('2026-11-20T08:09:10+10:00');
  });

  test('circular or endless EXIF is read to its end and no further', async () => {
    const whole = jpegWithExif(1);
    const TIFF_AT = 12;
    const with32 = (at: number, value: number): Uint8Array => {
      const made = whole.slice();
      new DataView(made.buffer).setUint32(TIFF_AT + at, value, true);
      return made;
    };
    // The main directory (at 8) has three entries of 12 bytes: model, EXIF, GPS; then the offset of the next directory.
    const EXIF_POINTER = 8 + 2 + 12 + 8;
    const GPS_POINTER = EXIF_POINTER + 12;
    const NEXT = 8 + 2 + 3 * 12;
    for (const made of [
      with32(EXIF_POINTER, 8),
      with32(GPS_POINTER, 8),
      with32(NEXT, 8),
      with32(EXIF_POINTER, 0xffff_fff0),
      with32(8 + 2 + 4, 0xffff_ffff),
      with32(EXIF_POINTER - 4, 0xffff_ffff),
    ]) {
      const facts = await cameraFacts(made);
      expect(facts.takenAt === undefined || facts.takenAt === '2026-11-20T08:09:10').toBe(true);
      expect((facts.model ?? '').length).toBeLessThanOrEqual(80);
    }
  });

  test('a name cut within a surrogate pair is still well-formed text', async () => {
    const { model } = await cameraFacts(jpegWithExif(0, undefined, `${'x'.repeat(79)}🐠`));
    expect(model?.isWellFormed()).toBe(true);
    expect(model).toMatch(/^x{79}/);
  });

  test('negative degrees are not a position, since the hemisphere is a separate field', async () => {
    expect((await cameraFacts(jpegWithExif(0, undefined, 'C', [10, -500]))).position).toBeUndefined();
    expect((await cameraFacts(jpegWithExif(0, undefined, 'C', [10, -16]))).position).toBeUndefined();
    expect((await cameraFacts(jpegWithExif(0, undefined, 'C', [10, 16]))).position).toMatchObject({ lat: -16.5 });
  });

  test('missing and damaged EXIF yield nothing and no error', async () => {
    expect(await cameraFacts(Uint8Array.of(0xff, 0xd8, 0xff, 0xd9))).toEqual({});
    expect(await cameraFacts(jpegWithExif(0).slice(0, 40))).toEqual({});
    expect(await cameraFacts(new Uint8Array(0))).toEqual({});
  });
});
