import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReleaseFiles } from '../../src/domain/results/csv/check-release';

/** Files of a release that cannot be had; the message is for the terminal. */
export class ReleaseFilesError extends Error {
  override readonly name = 'ReleaseFilesError';
}

/**
 * Reads the files of a release.
 *
 * @param place folder with the files, or an address such as `https://example.org/cdn/map/gbr/releases/1`
 * @throws ReleaseFilesError naming the file that is missing
 */
export async function readReleaseFiles(place: string): Promise<ReleaseFiles> {
  const read = /^https?:\/\//i.test(place) ? fetchFile(place.replace(/\/$/, '')) : readLocal(place);
  const required = async (name: string): Promise<string> => {
    const text = await read(name);
    if (text === null) throw new ReleaseFilesError(`${place} has no ${name}.`);
    return text;
  };
  return {
    photographs: await required('photographs.csv'),
    spread: await required('spread.json'),
    results: await required('results.csv'),
    answers: await read('answers.csv'),
  };
}

type ReadFile = (name: string) => Promise<string | null>;

const readLocal =
  (folder: string): ReadFile =>
  async (name) => {
    try {
      return await readFile(path.join(folder, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new ReleaseFilesError(`${path.join(folder, name)} cannot be read: ${(error as Error).message}`);
    }
  };

const fetchFile =
  (address: string): ReadFile =>
  async (name) => {
    let response: Response;
    try {
      response = await fetch(`${address}/${name}`);
    } catch (error) {
      throw new ReleaseFilesError(`${address} does not answer: ${(error as Error).message}`);
    }
    if (response.status === 404) return null;
    if (!response.ok) throw new ReleaseFilesError(`${address}/${name} was refused with ${response.status}.`);
    return response.text();
  };
