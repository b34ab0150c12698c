// `npm start`: set-up, build where the sources changed, then a box on this machine, in plain words. Ctrl-C stops all of it.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build } from './build.mjs';
import { ROOT, SetupError, orExplain, setup } from './setup.mjs';

/** pino's number for a line that a person should see. */
const LOG_ERROR = 50;

const home = path.resolve(process.env.REEF_HOME || '.data');
const host = process.env.HOST || '127.0.0.1';
const port = Number(process.env.EDGE_PORT || 4100);

await orExplain(async () => {
  const env = setup();
  await needPort();
  build({ force: false, env });
  run(env);
});

/** A port that is taken is one clear line, before anything is started. */
async function needPort() {
  const server = net.createServer();
  await new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE') reject(new SetupError(`Port ${port} is in use by another program, perhaps by a box that runs already. Stop that one, or choose another: EDGE_PORT=${port + 1} npm start`));
      // A wrong host or port: the box names it itself.
      else resolve();
    });
    // A port that is none makes listen throw; the box says it better.
    if (!Number.isInteger(port) || port < 0 || port > 65_535) resolve();
    else server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

function run(env) {
  mkdirSync(home, { recursive: true });
  const logFile = path.join(home, 'edge.log');
  const log = createWriteStream(logFile, { flags: 'a' });
  // What cannot be written to the log is only not in the log; the box goes on.
  log.on('error', (error) => console.error(`The log could not be written: ${error.message}`));
  // Ctrl-C reaches the box and this script alike; the box ends in order, and this script waits for it.
  const box = spawn(process.execPath, ['--enable-source-maps', path.join(ROOT, 'dist', 'edge', 'supervisor.mjs')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_ENV: 'production', ...env, REEF_HOME: home },
  });
  let ending = false;
  let shown = false;

  createInterface({ input: box.stdout }).on('line', (line) => {
    log.write(`${line}\n`);
    const entry = readEntry(line);
    if (entry?.msg === 'listening') {
      if (shown) console.log('The box is up again.');
      else welcome(entry, logFile);
      shown = true;
    } else if (entry !== undefined && entry.level >= LOG_ERROR && !ending) {
      console.error(`The box: ${entry.msg}${entry.err?.message === undefined ? '' : ` (${entry.err.message})`}. More stands in ${logFile}.`);
    }
  });
  createInterface({ input: box.stderr }).on('line', (line) => {
    log.write(`${line}\n`);
    console.error(line);
  });

  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      if (!ending) console.log('\nStopping. What was receipted is on the disk.');
      ending = true;
      box.kill('SIGTERM');
    });
  }
  box.on('exit', (code, signal) => {
    log.end();
    if (ending) console.log('Stopped.');
    process.exitCode = code ?? (signal === null ? 1 : 0);
  });
}

function welcome({ url, pairing, pairingCode, caFingerprint }, logFile) {
  const lines = [
    '',
    'The box is up.',
    '',
    `  Open        ${url}`,
    ...(caFingerprint === undefined ? [] : [`  Trust       ${url}/edge/trust shows how a tablet comes to trust it`, `              fingerprint ${caFingerprint}`]),
    `  Pair with   ${pairing === 'open' ? 'no code (EDGE_PAIRING=open)' : `${pairingCode.slice(0, 4)} ${pairingCode.slice(4)}`}`,
    `  Kept in     ${home}`,
    `  Log         ${logFile}`,
    '',
    'Say who you are, pair under Box with that code, start a survey, add photographs.',
    'Pull any plug on the way: what was shown as saved goes on where it stopped. Ctrl-C stops the box.',
    '',
  ];
  console.log(lines.join('\n'));
}

/** A line of the log; undefined for anything else that was printed. */
function readEntry(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
