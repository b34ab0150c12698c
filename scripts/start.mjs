// `npm start`: runs cloud, box and bridge on this machine, each under its supervisor, building if needed. An empty box
// is filled with demo content. Ctrl-C stops everything.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { ROOT, SetupError, exitOnSetupError, setup } from './setup.mjs';
import { bridgeToken } from './start/bridge-token.mjs';
import { LoginCodes } from './start/login-codes.mjs';
import { DEMO_SIGN_INS, createSignIns } from './start/demo-people.mjs';
import { ManagedProcess } from './start/managed-process.mjs';
import { choosePort } from './start/ports.mjs';

const home = path.resolve(process.env.REEF_HOME || '.data');
const host = process.env.HOST || '127.0.0.1';
const demo = !['0', 'false'].includes(process.env.DEMO ?? '');

/** Last started first: dependents stop first. */
const running = [];
let ending;

await exitOnSetupError(async () => {
  const env = setup();
  const edgePort = await choosePort({ label: 'a box', name: 'EDGE_PORT', given: Number(env.EDGE_PORT || 4100), host });
  // Local only; other machines use the box over https.
  const cloudPort = await choosePort({
    label: 'a cloud service',
    name: 'CLOUD_PORT',
    given: Number(env.CLOUD_PORT || 4200),
    host: '127.0.0.1',
    taken: [edgePort],
  });
  build({ force: false, env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => void stopAll(`Stopping. What was receipted is on the disk.`, 0));
  try {
    await start(env, edgePort, cloudPort);
  } catch (error) {
    if (ending !== undefined) return;
    console.error(error instanceof SetupError ? error.message : (error.stack ?? String(error)));
    await stopAll('Stopping the rest.', 1);
  }
});

async function start(given, edgePort, cloudPort) {
  mkdirSync(home, { recursive: true });
  const cloudUrl = given.CLOUD_URL || `http://127.0.0.1:${cloudPort}`;
  const base = {
    NODE_ENV: 'production',
    ...given,
    REEF_HOME: home,
    BRIDGE_TOKEN: bridgeToken(home, given.BRIDGE_TOKEN),
    EDGE_PORT: String(edgePort),
    CLOUD_PORT: String(cloudPort),
    CLOUD_URL: cloudUrl,
    DEMO: demo ? '1' : '0',
  };
  const codes = new LoginCodes();

  // The box's app calls the cloud from its own origin.
  const origins = [
    given.ALLOWED_ORIGINS,
    given.PUBLIC_URL && new URL(given.PUBLIC_URL).origin,
    ...['127.0.0.1', 'localhost'].flatMap((name) => [`http://${name}:${edgePort}`, `https://${name}:${edgePort}`]),
  ]
    .filter(Boolean)
    .join(',');
  const cloudEnv = { ...base, HOST: '127.0.0.1', ALLOWED_ORIGINS: origins, PUBLIC_URL: '' };
  console.log('Starting the cloud service (its first start makes a database).');
  const cloud = startProcess({
    name: 'cloud',
    label: 'The cloud service',
    env: cloudEnv,
    onLine: (entry) => codes.onLogEntry(entry),
  });
  const cloudReady = await cloud.ready;

  console.log('Starting the box.');
  const edge = startProcess({ name: 'edge', label: 'The box', env: { ...base, HOST: host } });
  const edgeReady = await edge.ready;

  console.log('Starting the bridge between them.');
  const bridge = startProcess({
    name: 'bridge',
    label: 'The bridge',
    ready: 'the bridge runs',
    env: { ...base, EDGE_URL: edgeReady.url, CLOUD_URL: cloudReady.url },
  });
  await bridge.ready;

  if (demo) await createDemoSignIns(cloudReady.url, cloudEnv, codes);
  if (ending !== undefined) return;
  codes.shown = true;
  printWelcome({ cloudReady, edgeReady });
  // In the background: the box is usable at once.
  if (demo) await fillEmpty({ ...base, EDGE_URL: edgeReady.url, HOST: host });
  const code = await Promise.race(running.map(({ ended }) => ended));
  // A supervisor restarts its server; if it exits itself, its log explains it.
  if (ending === undefined) await stopAll('A part ended for good: stopping the rest.', code === 0 ? 1 : code);
}

function startProcess(options) {
  if (ending !== undefined) throw new SetupError('Stopping.');
  const started = new ManagedProcess({ ...options, home });
  running.unshift(started);
  return started;
}

function stopAll(text, code) {
  ending ??= (async () => {
    console.log(`\n${text}`);
    for (const one of running) await one.stop();
    console.log('Stopped.');
    process.exit(code);
  })();
  return ending;
}

/** Optional: without it no one ashore is staff yet. */
async function createDemoSignIns(url, env, codes) {
  try {
    await createSignIns(url, env, (ms) => codes.nextCode(ms));
  } catch (error) {
    console.error(`The demo's sign-ins ashore could not be made: ${error.message}`);
  }
}

/** Leaves a box in use alone, and one from which the demo was removed. */
async function fillEmpty(env) {
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', path.join(ROOT, 'dist', 'edge', 'demo.mjs'), '--if-empty'],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], env },
  );
  const filled = {
    ended: new Promise((resolve) => child.on('exit', resolve)),
    stop: () => (child.kill('SIGTERM'), filled.ended),
  };
  running.unshift(filled);
  await filled.ended;
  running.splice(running.indexOf(filled), 1);
}

function printWelcome({ cloudReady, edgeReady }) {
  const { url, pairing, pairingCode, caFingerprint } = edgeReady;
  const lines = [
    '',
    'The Great Reef Census is up.',
    '',
    `  Aboard      ${url}`,
    ...(caFingerprint === undefined
      ? []
      : [
          `  Trust       ${url}/edge/trust shows how a tablet comes to trust it`,
          `              fingerprint ${caFingerprint}`,
        ]),
    `  Pair with   ${pairing === 'open' ? 'no code (EDGE_PAIRING=open)' : `${pairingCode.slice(0, 4)} ${pairingCode.slice(4)}`}`,
    `  Console     ${url}/edge/console   (any name; the password is in ${path.join(home, 'edge', 'admin-token')})`,
    `  Ashore      ${cloudReady.url}`,
    `  Map         ${cloudReady.url}/detailed-reporting`,
    ...(demo
      ? [
          `  Sign in     ${DEMO_SIGN_INS.map(({ role, email }) => `${email} (${role})`).join(', ')}`,
          '              the code is shown here when it is asked for; staff also set up a second step, at the first sign-in:',
          '              choose one-time codes, and each of them is shown here too',
        ]
      : []),
    `  Mails       ${process.env.SMTP_URL ? 'sent over SMTP_URL' : path.join(home, 'outbox', '*.eml')}`,
    `  Data in     ${home}   (with a log of each part)`,
    '',
    'Open the address aboard, enter your name, pair under Box with that code, start a survey, add photographs: they go to the box,',
    'over the bridge to the cloud, and the receipts come back. Pull any plug on the way: what showed as saved resumes where',
    `it stopped. Ctrl-C stops all of it.${demo ? ' npm run demo:remove removes the demo content.' : ''}`,
    '',
  ];
  console.log(lines.join('\n'));
}
