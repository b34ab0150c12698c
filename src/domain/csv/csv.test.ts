import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv } from './csv-reader';
import { writeCsv } from './csv-writer';

const cells = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom("'", '"', ',', '\r', '\n', '\t', '=', '+', '-', '@', ' ', '1', '＝') }),
);

describe('3§3 tables', () => {
  it('3§3 a table reads back as it was written, with any texts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cells, cells)),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (rows, number) => {
          const text = writeCsv([['a', 'n', 'b'], ...rows.map(([a, b]) => [a, number, b])]);
          const read = readCsv(text, ['a', 'b']).map((row) => [row.text('a'), row.text('b')]);
          expect(read).toEqual(rows);
          for (const row of readCsv(text, []))
            expect(row.number('n', { min: -Infinity, max: Infinity })).toBe(number + 0);
        },
      ),
    );
  });

  it.each(['=1+1', '+61', '-2', '@SUM(A1)', '\t=1', ' =1', '＝1', "'=1"])(
    '3§3 the text %j is not a formula in a spreadsheet, and reads back',
    (text) => {
      const written = writeCsv([['name'], [text]]);
      expect(written.split('\r\n')[1]).toMatch(/^"?'/);
      expect(readCsv(written, ['name'])[0]?.text('name')).toBe(text);
    },
  );

  it('3§3 numbers stay numbers, and those that are not finite are refused', () => {
    expect(writeCsv([[-16.1, 1e-7, null, true]])).toBe('-16.1,1e-7,,true\r\n');
    expect(() => writeCsv([[NaN]])).toThrow(RangeError);
  });

  it('3§3 every end of line, a byte order mark and empty lines are read', () => {
    const read = readCsv('\uFEFFa,b\n1,2\r\n\r\n"x\ny",4\r5,', ['a', 'b']);
    expect(read.map((row) => [row.line, row.text('a'), row.text('b')])).toEqual([
      [2, '1', '2'],
      [4, 'x\ny', '4'],
      [6, '5', ''],
    ]);
  });

  it.each([
    ['', 1, 'a', /empty/],
    ['b\n1', 1, 'a', /no column “a”/],
    ['a,a\n1,2', 1, 'a', /twice/],
    ['a,b\n1,2,3', 2, 'b', /3 cells, the first row 2/],
    ['a\n"open', 2, '', /does not end/],
    ['a\n"x"y', 2, '', /follows/],
  ])('3§3 the table %j is refused with line and column', (text, line, column, message) => {
    expect(() => readCsv(text, ['a'])).toThrow(
      expect.objectContaining({ details: { line, column }, message: expect.stringMatching(message) }),
    );
  });

  it.each([['101'], ['-1'], ['NaN'], ['0x10'], ['=1+1'], ['1,5'], ['Infinity']])(
    '3§3 the number %j is refused with line and column',
    (text) => {
      const [row] = readCsv(`a,share\nx,"${text}"`, ['share']);
      expect(() => row?.number('share', { min: 0, max: 100 })).toThrow(
        expect.objectContaining({ details: { line: 2, column: 'share' } }),
      );
    },
  );
});
