// Rival's sender: tus-js-client, files from a folder, a few at a time, each in one PATCH as by default.
import { createReadStream, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Upload } from 'tus-js-client';

const [folder = '', endpoint = '', atATime = '2'] = process.argv.slice(2);
const files = readdirSync(folder).map((name) => path.join(folder, name));

function send(file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(createReadStream(file), {
      endpoint,
      uploadSize: statSync(file).size,
      metadata: { filename: path.basename(file) },
      onError: reject,
      onSuccess: () => resolve(),
    });
    upload.start();
  });
}

async function lane(): Promise<void> {
  for (let file = files.pop(); file !== undefined; file = files.pop()) await send(file);
}

await Promise.all(Array.from({ length: Number(atATime) }, lane));
