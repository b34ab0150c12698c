// Set-up without dependencies: it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Packages that may take a minute to compile; checks and the app's build run without them. */
const COMPILED = ['better-sqlite3'];
/** Needed by node-gyp if no prebuilt better-sqlite3 fits. */
const COMPILER = { python3: 'python3', make: 'make', 'g++': 'g++' };

/** Debian's WebKitGTK with its driver, and what `tests/support/engines/webkit-browser.py` imports. */
const WEBKIT = ['webkit2gtk-driver', 'gir1.2-webkit2-4.1', 'python3-gi'];

/** Advice for the operator, printed without a stack. */
export class SetupError extends Error {
  name = 'SetupError';
}

/** Prints a SetupError as text and exits with code 1. */
export async function exitOnSetupError(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/**
 * Prepares Node, `node_modules` and, for tests, browsers, strace, gpsd and HEIC. Returns the environment for child processes.
 */
export function setup({ tests = false } = {}) {
  if (process.env.REEF_SET_UP === ROOT) return process.env;
  checkNode();
  installPackages();
  return tests ? { ...process.env, ...testTools() } : process.env;
}

/**
 * Prepares the same for tests, but does not wait for compilers: `compiled` does, and then gives nothing or rejects with
 * a SetupError.
 */
export function setupWhileCompiling() {
  checkNode();
  const compiled = installPackages({ compilesLater: true });
  // Handled where it is awaited, even if something else fails before.
  compiled.catch(() => undefined);
  // Steps that run while packages compile do not begin a set-up of their own.
  return { env: { ...process.env, ...testTools(), REEF_SET_UP: ROOT }, compiled };
}

/** @throws SetupError below Node 20.19 */
export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(
    `This needs Node 20.19 or newer; this is Node ${version}. Install a newer Node, then run the same command again.`,
  );
}

/** True if node_modules matches the lock file (optional packages may be missing). */
export function installedAsLocked(root = ROOT) {
  const installed = readJson(path.join(root, 'node_modules', '.package-lock.json'))?.packages;
  const locked = readJson(path.join(root, 'package-lock.json'))?.packages;
  if (installed === undefined || locked === undefined) return false;
  return Object.entries(locked).every(([place, entry]) => {
    if (place === '') return true;
    const here = installed[place];
    return here === undefined ? entry.optional === true || entry.devOptional === true : here.version === entry.version;
  });
}

function installPackages({ compilesLater = false } = {}) {
  // Compiled packages depend on Node's ABI; an unfinished set-up leaves another text.
  const stamp = path.join(ROOT, 'node_modules', '.cache', 'reef-abi');
  const abi = `${process.platform} ${process.arch} ${process.versions.modules}`;
  const built = existsSync(stamp) ? readFileSync(stamp, 'utf8') : abi;
  if (!installedAsLocked() || built !== abi) {
    console.log('Installing what the project needs. The first time takes a few minutes.');
    ensureCompiler();
    ensureHeicDecoder();
    const { command, args, options } = npm('ci', '--include=dev', ...(compilesLater ? ['--ignore-scripts'] : []));
    const { status, error } = spawnSync(command, args, options);
    if (error !== undefined || status !== 0) throw new SetupError(NOT_INSTALLED);
    if (compilesLater) return runInstallScripts(stamp, abi);
  }
  writeStamp(stamp, abi);
  return Promise.resolve();
}

const NOT_INSTALLED =
  'npm could not install the packages (see its output above). It needs a network, and python3, make and g++ where no prebuilt binary fits. Install them and run the same command again.';

/** Install scripts of the packages: the quick ones at once, compilers while the caller goes on. */
function runInstallScripts(stamp, abi) {
  writeStamp(stamp, 'unfinished');
  const packages = readJson(path.join(ROOT, 'node_modules', '.package-lock.json'))?.packages ?? {};
  const scripted = Object.keys(packages)
    .filter((place) => packages[place].hasInstallScript === true)
    .map((place) => place.slice('node_modules/'.length));
  const quick = npm('rebuild', ...scripted.filter((name) => !COMPILED.includes(name)));
  const { status, error } = spawnSync(quick.command, quick.args, quick.options);
  if (error !== undefined || status !== 0) throw new SetupError(NOT_INSTALLED);
  const { command, args, options } = npm('rebuild', ...COMPILED);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    child.once('error', () => reject(new SetupError(NOT_INSTALLED)));
    child.once('close', (code) => {
      if (code !== 0) return reject(new SetupError(NOT_INSTALLED));
      writeStamp(stamp, abi);
      return resolve();
    });
  });
}

function writeStamp(stamp, text) {
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, text);
}

/** The running npm; also works if `npm` is a shell script. */
function npm(...args) {
  const running = process.env.npm_execpath;
  return {
    command: running === undefined ? 'npm' : process.execPath,
    args: running === undefined ? args : [running, ...args],
    options: { cwd: ROOT, stdio: 'inherit', shell: running === undefined && process.platform === 'win32' },
  };
}

/** Optional: a prebuilt binary needs no compiler. */
function ensureCompiler() {
  const missing = Object.keys(COMPILER).filter((tool) => which(tool) === undefined);
  if (missing.length > 0 && canInstall()) aptInstall(missing.map((tool) => COMPILER[tool]));
}

/** Optional: without it, HEIC photographs have no small pictures. */
function ensureHeicDecoder() {
  if (which('heif-convert') === undefined && canInstall()) aptInstall(['libheif-examples']);
}

/** Finds or installs browsers (CHROMIUM, FIREFOX, WebKitGTK), Xvfb, strace, gpsd, gpsfake and the encoder and decoder of HEIC. */
function testTools() {
  const wanted = () => [
    ...(findChromium() === undefined ? ['chromium'] : []),
    ...(findFirefox() === undefined ? ['firefox-esr'] : []),
    ...(hasWebKit() ? [] : WEBKIT),
    ...(which('Xvfb') === undefined ? ['xvfb'] : []),
    ...(which('strace') === undefined ? ['strace'] : []),
    ...(hasGpsd() ? [] : ['gpsd', 'gpsd-clients']),
    ...(which('heif-convert') !== undefined && which('heif-enc') !== undefined ? [] : ['libheif-examples']),
  ];
  const missing = wanted();
  if (missing.length > 0) {
    if (canInstall()) aptInstall(missing);
    const still = wanted();
    if (still.length > 0) {
      const how = existsSync('/etc/debian_version')
        ? `Run as root: apt-get install -y ${still.join(' ')}`
        : `Install ${still.join(' and ')} with this system's package manager; CHROMIUM=<path> and FIREFOX=<path> name browsers elsewhere.`;
      throw new SetupError(`The tests need ${still.join(' and ')}. ${how}`);
    }
  }
  return { CHROMIUM: findChromium(), FIREFOX: findFirefox() };
}

function findChromium() {
  return named(process.env.CHROMIUM, '/usr/bin/chromium') ?? first('chromium', 'chromium-browser', 'google-chrome');
}

function findFirefox() {
  return named(process.env.FIREFOX, '/usr/bin/firefox-esr') ?? first('firefox-esr', 'firefox');
}

/** True if the tests' own WebKit browser can start: the driver, and the bindings of Debian's Python. */
function hasWebKit() {
  if (which('WebKitWebDriver') === undefined) return false;
  const bindings = 'import gi; gi.require_version("Gtk", "3.0"); gi.require_version("WebKit2", "4.1")';
  return spawnSync('/usr/bin/python3', ['-c', bindings]).status === 0;
}

const named = (...places) => places.find((place) => place !== undefined && place !== '' && isExecutable(place));

const first = (...commands) => commands.map(which).find((place) => place !== undefined);

/** Outside a plain user's PATH. */
function hasGpsd() {
  return which('gpsfake') !== undefined && (which('gpsd') !== undefined || isExecutable('/usr/sbin/gpsd'));
}

function canInstall() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && which('apt-get') !== undefined;
}

function aptInstall(packages) {
  console.log(`Installing ${packages.join(', ')} with apt-get.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { stdio: 'inherit', env });
}

function which(command) {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, command))
    .find(isExecutable);
}

function isExecutable(place) {
  try {
    accessSync(place, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readJson(place) {
  return existsSync(place) ? JSON.parse(readFileSync(place, 'utf8')) : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await exitOnSetupError(() => setup({ tests: process.argv.includes('--tests') }));
}
