import { createReadStream } from 'node:fs';
import path from 'node:path';
import { ImportError } from './import-error';

/** Largest feature, characters: an outline of 100,000 corners has 4 million. */
const FEATURE_MAX = 64 * 1024 * 1024;

/**
 * Features of a GeoJSON FeatureCollection, one at a time, so that files larger than memory can be read.
 *
 * @returns parsed features with their number from 1
 * @throws ImportError if the file cannot be read, is not text, or is not a whole FeatureCollection
 */
export async function* geojsonFeatures(file: string): AsyncGenerator<readonly [number: number, feature: unknown]> {
  const name = path.basename(file);
  let count = 0;
  const scanner = new FeatureScanner();
  for await (const text of fileText(file))
    for (const feature of scanner.add(text)) {
      count++;
      try {
        yield [count, JSON.parse(feature) as unknown];
      } catch (error) {
        throw new ImportError(`${name} is not JSON: feature ${count} cannot be read.`, { cause: error });
      }
    }
  if (!scanner.isWhole)
    throw new ImportError(
      scanner.hasFeatures
        ? `${name} ends within its features: it is cut off.`
        : `${name} is not a GeoJSON FeatureCollection.`,
    );
}

/** Text of a file in pieces. @throws ImportError if it cannot be read or is not UTF-8 */
export async function* fileText(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const name = path.basename(file);
  try {
    for await (const bytes of createReadStream(file)) yield decoder.decode(bytes as Buffer, { stream: true });
    yield decoder.decode();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ImportError(`The file ${name} does not exist.`, { cause: error });
    if (error instanceof TypeError) throw new ImportError(`${name} is not text in UTF-8.`, { cause: error });
    throw new ImportError(`${name} could not be read (${code ?? 'unknown'}).`, { cause: error });
  }
}

/** Finds the objects of the member `features` at the top of a JSON text that arrives in pieces. */
class FeatureScanner {
  hasFeatures = false;
  isWhole = false;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isInList = false;
  /** Member name or text at the top level that is being read, and the last one. */
  #top = '';
  #last = '';
  #feature: string[] = [];
  #size = 0;

  /** @returns features that the piece completes */
  add(text: string): readonly string[] {
    const found: string[] = [];
    let begin = this.#isFeature ? 0 : -1;
    for (let i = 0; i < text.length; i++) {
      const letter = text[i] as string;
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (letter === '\\') this.#isEscaped = true;
        else if (letter === '"') {
          this.#isText = false;
          this.#last = this.#top;
        } else if (this.#depth === 1) this.#top += letter;
        continue;
      }
      if (letter === '"') {
        this.#isText = true;
        this.#top = '';
      } else if (letter === '{' || letter === '[') {
        if (this.#isInList && this.#depth === 2 && letter === '{') begin = i;
        if (this.#depth === 1 && letter === '[' && this.#last === 'features') this.#isInList = this.hasFeatures = true;
        this.#depth++;
      } else if (letter === '}' || letter === ']') {
        this.#depth--;
        if (this.#isInList && this.#depth === 2 && begin >= 0) {
          found.push(this.#feature.join('') + text.slice(begin, i + 1));
          this.#feature = [];
          this.#size = 0;
          begin = -1;
        } else if (this.#isInList && this.#depth === 1) this.#isInList = false;
        else if (this.#depth === 0) this.isWhole = this.hasFeatures;
      }
    }
    if (begin >= 0) this.#keep(text.slice(begin));
    return found;
  }

  get #isFeature(): boolean {
    return this.#feature.length > 0;
  }

  #keep(text: string): void {
    this.#feature.push(text);
    this.#size += text.length;
    if (this.#size > FEATURE_MAX) throw new ImportError('A feature has more than 64 MB.');
  }
}
