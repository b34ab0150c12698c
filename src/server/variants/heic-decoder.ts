import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Time limit of one photograph, ms: the program hangs if it may start no thread. */
const DECODING_MS = 120_000;
/** Processor time of one photograph, s. */
const PROCESSOR_S = 30;
/** Exit code of a shell that does not find a program. */
const NOT_FOUND = 127;

/**
 * Decodes with `heif-convert` of libheif (LGPL), which ends with its caller. Memory limits of the caller hold for it, too.
 */
const DECODE = `ulimit -t ${PROCESSOR_S}; exec setpriv --pdeathsig KILL heif-convert --quiet -q 95 "$1" "$2"`;

/** True if the programs that decode HEIC are found. */
export function isHeicDecoderInstalled(): boolean {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return ['heif-convert', 'setpriv'].every((name) => folders.some((folder) => existsSync(path.join(folder, name))));
}

/** Result of decoding: `missing`: the program is not installed; `broke`: it was ended, or took more than it may. */
type HeicResult = 'decoded' | 'missing' | 'broke' | 'unreadable';

/**
 * Decodes a HEIC photograph into a JPEG. The rotation that the file prescribes is applied; the one in its EXIF data is to
 * be ignored (ISO/IEC 23008-12).
 *
 * @param source path of the photograph
 * @param target path of the JPEG, with the suffix `.jpg`
 */
export function decodeHeic(source: string, target: string): Promise<HeicResult> {
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-c', DECODE, 'sh', source, target],
      { timeout: DECODING_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 },
      (error, _output, errors) => {
        if (error === null) return resolve('decoded');
        if (error.code === NOT_FOUND || error.code === 'ENOENT') return resolve('missing');
        resolve(typeof error.code !== 'number' || /alloc|conversion/i.test(errors) ? 'broke' : 'unreadable');
      },
    );
  });
}
