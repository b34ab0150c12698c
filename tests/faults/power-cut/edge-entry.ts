/**
 * Production edge for the recorder: built as in `edge-server/server.ts`, on its own port. The environment may request
 * one planted defect, to show that the proof finds it.
 */
import { openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { buildEdge } from '../../../edge-server/app';
import type { EdgeHooks } from '../../../edge-server/app';
import { readSettings } from '../../../edge-server/settings';
import type { Receipt } from '../../../src/protocol/receipt';
import type { ProbePoint } from '../../../src/server/ops/probe';
import { realDisk } from '../../../src/server/files/disk';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import type { Defect } from './edge-process';

/** Weakens the durability of every connection behind the stores' back. */
function plantNormal(): void {
  const { pragma } = Database.prototype;
  Database.prototype.pragma = function (this: Database.Database, source: string, options?: Database.PragmaOptions) {
    if (/^\s*synchronous\s*=/i.test(source)) return pragma.call(this, 'synchronous = NORMAL', options);
    if (/^\s*synchronous\s*$/i.test(source)) return 2;
    return pragma.call(this, source, options);
  };
}

/** Omits the fsync of the folders that `which` picks. */
function plantNoFolderFsync(which: (folder: string) => boolean): EdgeHooks {
  return { disk: { ...realDisk, fsyncDir: async (folder) => (which(folder) ? undefined : realDisk.fsyncDir(folder)) } };
}

/** Sends each receipt as soon as it is signed, just before the commit that contains it. */
function plantEarlyReceipts(): EdgeHooks {
  const early = openSync(process.env['POWER_CUT_EARLY'] ?? '', 'a');
  const signed: Receipt[] = [];
  const { signReceipt } = ReceiptSigner.prototype;
  ReceiptSigner.prototype.signReceipt = function (this: ReceiptSigner, unsigned) {
    const receipt = signReceipt.call(this, unsigned);
    signed.push(receipt);
    return receipt;
  };
  return {
    probe: (point) => {
      if (point === 'append.before-commit')
        writeSync(
          early,
          signed
            .splice(0)
            .map((receipt) => `${JSON.stringify({ receipt })}\n`)
            .join(''),
        );
    },
  };
}

function plant(defect: Defect): EdgeHooks {
  switch (defect) {
    case 'none':
      return {};
    case 'synchronous-normal':
      plantNormal();
      return {};
    case 'no-folder-fsync':
      return plantNoFolderFsync(() => true);
    case 'no-blob-folder-fsync':
      return plantNoFolderFsync((folder) => /\/blobs\/[0-9a-f]{2}\/[0-9a-f]{2}$/.test(folder));
    case 'receipt-before-commit':
      return plantEarlyReceipts();
  }
}

/** Ends the process like `kill -9`, the first time it passes this point. */
function dieAt(point: ProbePoint): EdgeHooks {
  return {
    probe: (passed) => {
      if (passed === point) process.kill(process.pid, 'SIGKILL');
    },
  };
}

const dies = process.env['POWER_CUT_DIES_AT'];
const hooks =
  dies !== undefined ? dieAt(dies as ProbePoint) : plant((process.env['POWER_CUT_DEFECT'] ?? 'none') as Defect);
const settings = { ...readSettings(process.env), port: 0 };
const edge = await buildEdge(settings, {
  log: pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true })),
  ...hooks,
});
process.once('SIGTERM', () => {
  edge.close().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
const url = await edge.listen();
process.stdout.write(`${JSON.stringify({ pid: process.pid, url, code: edge.context.pairing.code() })}\n`);
