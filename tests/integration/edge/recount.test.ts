import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { buildEdge } from '../../../edge-server/app';
import { recount } from '../../../edge-server/commands/recount';
import { readSettings } from '../../../edge-server/settings';
import { makeOp, newId, surveyOp } from '../../support/servers/edge-client';

const home = mkdtempSync(path.join(os.tmpdir(), 'reef-recount-'));
const settings = readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0' });
const log = pino({ level: 'silent' });
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('protocol, Fold: recount repairs counters and documents, never next to a running box', async () => {
  const survey = surveyOp();
  const imageId = newId();
  const edge = await buildEdge(settings, { log });
  const take = (op: object) => edge.context.intake.acceptOp(op, { person: null, roles: new Set(['device']) });
  await take(survey);
  for (const uid of [newId(), newId()])
    await take(makeOp('analysis', { id: newId(), image: { id: imageId }, user: { uid } }));
  await expect(recount(settings, log)).rejects.toThrow('Another process is working on');
  await edge.close();

  const file = path.join(settings.home, 'census.sqlite');
  const damage = new Database(file);
  damage.exec(`UPDATE counters SET n = 99; DELETE FROM docs WHERE kind = 'survey'`);
  damage.close();
  expect(await recount(settings, log)).toBe(3);
  const counted = new Database(file, { readonly: true });
  expect(
    counted.prepare('SELECT n FROM counters WHERE name = ? AND id = ?').pluck().get('image.analyses', imageId),
  ).toBe(2);
  expect(counted.prepare('SELECT doc_id FROM docs WHERE kind = ?').pluck().all('survey')).toEqual([survey.docId]);
  counted.close();
});
