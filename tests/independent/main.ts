/**
 * The independent client from the command line:
 *   node --import tsx tests/independent/main.ts --edge <url> --code <code> --photos <folder> [--http] [--ca <pem>] [--state <file>]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { IndependentClient } from './client';
import { newId, type ClientState } from './state';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      edge: { type: 'string' },
      code: { type: 'string' },
      photos: { type: 'string' },
      http: { type: 'boolean' },
      ca: { type: 'string' },
      state: { type: 'string' },
    },
  });
  if (values.edge === undefined || values.photos === undefined)
    throw new Error('needed: --edge <url> --photos <folder>, and --code <code> for a new device');
  const { state: stateFile, photos } = values;
  const saved =
    stateFile !== undefined && existsSync(stateFile)
      ? (JSON.parse(readFileSync(stateFile, 'utf8')) as ClientState)
      : undefined;
  const client = new IndependentClient({
    url: values.edge,
    transport: values.http === true ? 'http' : 'socket',
    log: (line) => console.log(line),
    ...(values.code === undefined ? {} : { code: values.code }),
    ...(values.ca === undefined ? {} : { ca: readFileSync(values.ca, 'utf8') }),
    ...(saved === undefined ? {} : { state: saved }),
    ...(stateFile === undefined
      ? {}
      : { save: (state: ClientState) => writeFileSync(stateFile, JSON.stringify(state)) }),
  });
  if (saved === undefined) {
    const uid = newId();
    client.addProfile(uid, 'Independent', 'Client', 'independent@example.org');
    const survey = client.addSurvey(uid, 'Sent by the independent client');
    for (const name of (await readdir(photos)).sort()) {
      if (/\.(jpe?g|png|webp|avif|heic|tiff?)$/i.test(name))
        await client.addPhotograph(survey, path.join(photos, name), uid);
    }
  }
  const refused = await client.drain();
  const done = client.state.items.filter((item) => item.receipt !== undefined).length;
  console.log(
    `${done} of ${client.state.items.length} things receipted, ${refused.length} refused, ${client.breaks} breaks of the connection`,
  );
  client.stop();
  if (refused.length > 0) process.exitCode = 1;
}

await main();
