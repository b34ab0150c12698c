import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DiskHistory } from './disk-history';
import { diskAfterCut, KEPT } from './power-cut-disk';
import { historyOf } from './read-trace';
import { requireStrace, runTraced } from './strace';
import { parseTrace } from './trace-lines';
import { differences, readTree } from './tree';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const folders: string[] = [];
beforeAll(requireStrace);
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/**
 * Records a small program on an empty disk; its `disk` and `early` are the recorded folder and the file that counts as
 * a wire.
 */
async function record(program: string, killAtFsync?: number): Promise<{ history: DiskHistory; disk: string }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'recorder-')));
  folders.push(folder);
  const [disk, early, trace, file] = [
    join(folder, 'disk'),
    join(folder, 'early'),
    join(folder, 'trace'),
    join(folder, 'program.mjs'),
  ];
  mkdirSync(disk);
  const head = `import fs from 'node:fs'; import fsp from 'node:fs/promises'; import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(join(PROJECT, 'package.json'))}); const disk = ${JSON.stringify(disk)}; const early = ${JSON.stringify(early)};`;
  writeFileSync(file, `${head}\n${program}`);
  const { tracer, ended } = runTraced([process.execPath, file], {
    traceFile: trace,
    env: process.env,
    cwd: folder,
    ...(killAtFsync === undefined ? {} : { killAtFsync }),
  });
  let said = '';
  tracer.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const code = await ended;
  if (killAtFsync === undefined && code !== 0) throw new Error(said);
  return {
    history: historyOf([parseTrace(readFileSync(trace, 'latin1'))], {
      top: disk,
      early,
      base: { folders: [], files: new Map() },
    }),
    disk,
  };
}

describe('power-cut recorder', () => {
  it('a disk rebuilt from the recorded calls equals the program’s disk, for any calls', async () => {
    const { history, disk } = await record(`
      const Database = require('better-sqlite3');
      fs.mkdirSync(disk + '/a/b', { recursive: true });
      const db = new Database(disk + '/a/x.sqlite');
      db.pragma('journal_mode = WAL'); db.exec('CREATE TABLE t (a, b)');
      for (let row = 0; row < 20; row++) db.prepare('INSERT INTO t VALUES (?, ?)').run(row, Buffer.alloc(row * 100, row));
      const handle = await fsp.open(disk + '/a/p.part', 'w+');
      await Promise.all([0, 1, 2, 3].map((at) => handle.write(Buffer.alloc(70_000, at), 0, 70_000, at * 70_000)));
      await handle.datasync(); await handle.truncate(250_001); await handle.close();
      const fd = fs.openSync(disk + '/a/v', 'w');
      fs.writevSync(fd, [Buffer.from('one, "two" <three>\\n'), Buffer.alloc(0), Buffer.from([0, 255, 10])], 5); fs.closeSync(fd);
      fs.writeFileSync(disk + '/a/b/w', 'plain'); fs.appendFileSync(disk + '/a/b/w', ' and more'); fs.writeFileSync(disk + '/a/b/w2', 'x'.repeat(9000)); fs.writeFileSync(disk + '/a/b/w2', 'shorter');
      await Promise.all([fsp.rename(disk + '/a/p.part', disk + '/a/b/p'), fsp.link(disk + '/a/v', disk + '/a/b/v'), fsp.writeFile(disk + '/a/gone', 'x')]);
      fs.unlinkSync(disk + '/a/gone'); fs.mkdirSync(disk + '/c'); fs.rmdirSync(disk + '/c'); fs.truncateSync(disk + '/a/b/w', 3);
      db.close();`);
    const left = readTree(disk);
    expect(left.files.size).toBeGreaterThanOrEqual(6);
    expect(
      differences(
        diskAfterCut(history, Infinity, () => KEPT),
        left,
      ),
    ).toEqual([]);
  });

  it('an fsync covers other threads’ writes; one cut by a kill covers nothing', async () => {
    const program = `
      const fd = fs.openSync(disk + '/a', 'w'); fs.writeSync(fd, 'first'); fs.fsyncSync(fd); fs.writeSync(fd, 'second');
      const folder = fs.openSync(disk, 'r'); fs.fsyncSync(folder); await new Promise((done) => fs.fdatasync(fd, done)); fs.writeSync(fd, 'third'); fs.fsyncSync(fd);`;
    const whole = await record(program);
    expect(whole.history.ops.map(({ durable }) => Number.isFinite(durable))).toEqual([true, true, true, true]);
    const killed = await record(program, 3);
    expect(killed.history.ops.map(({ durable }) => Number.isFinite(durable))).toEqual([true, true, true, false]);
    expect(readFileSync(join(killed.disk, 'a'), 'utf8')).toBe('firstsecondthird');
  });

  it('data sent through a socket is seen, even when a packet splits it', async () => {
    const { history } = await record(`
      import net from 'node:net';
      const sig = 'S'.repeat(80) + '-_0aZ9';
      const server = net.createServer((socket) => { socket.on('error', () => undefined); socket.setNoDelay(true); socket.write('{"receipt":{"seq":1,"s'); setTimeout(() => socket.end('ig":"' + sig + '"}}'), 30); });
      await new Promise((done) => server.listen(0, '127.0.0.1', done));
      await new Promise((done) => { const client = net.connect(server.address().port, '127.0.0.1'); client.resume(); client.once('close', done); });
      fs.writeFileSync(early, '{"sig":"' + 'E'.repeat(86) + '"}');
      server.close();`);
    expect(history.departures.map(({ sig }) => sig)).toEqual([`${'S'.repeat(80)}-_0aZ9`, 'E'.repeat(86)]);
  });

  it.each([
    ['a symbolic link', `fs.symlinkSync('x', disk + '/l');`, 'symlink'],
    [
      'a copy inside the kernel',
      `fs.writeFileSync(disk + '/a', 'x'); fs.copyFileSync(disk + '/a', disk + '/b');`,
      'copy_file_range|sendfile',
    ],
    [
      'a file opened with O_DSYNC',
      `fs.openSync(disk + '/a', fs.constants.O_CREAT | fs.constants.O_WRONLY | fs.constants.O_DSYNC);`,
      'O_DSYNC',
    ],
    [
      'a file moved in from outside',
      `fs.writeFileSync(early + '2', 'x'); fs.renameSync(early + '2', disk + '/a');`,
      'into or out of',
    ],
  ])('%s is refused, being untraceable', async (_what, program, message) => {
    await expect(record(program)).rejects.toThrow(new RegExp(message));
  });

  it('a missing strace is reported and fails the proof', () => {
    const program = `import { requireStrace } from ${JSON.stringify(join(PROJECT, 'tests/faults/power-cut/strace.ts'))}; requireStrace();`;
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: PROJECT,
      encoding: 'utf8',
      env: { ...process.env, PATH: '/nowhere' },
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('The power-cut proof did not run: strace is missing.');
  });
});
