import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import exifr from 'exifr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CONTENT, type DemoContent } from '../../../edge-server/demo/demo-content';
import { DemoError } from '../../../edge-server/demo/box-client';
import { fillDemo } from '../../../edge-server/demo/fill-demo';
import { readAllDocuments } from '../../../edge-server/demo/read-all-documents';
import { removeDemo } from '../../../edge-server/demo/remove-demo';
import type { RunningBox } from '../../../edge-server/commands/running-box';
import { readStats } from '../../../src/domain/analysis/free-draw/expert-form';
import { readFreeDraw } from '../../../src/domain/analysis/free-draw/record';
import { imageSchema } from '../../../src/domain/image/image';
import { qualityHints } from '../../../src/domain/image/hints';
import { reefFileSchema, tableOf } from '../../../src/domain/reef/reef';
import { surveySchema } from '../../../src/domain/survey/survey';
import { pairedClient, surveyOp, photograph } from '../../support/servers/edge-client';
import { startEdge, type EdgeProcess } from '../../support/servers/edge';

const NOW = '2026-01-02T03:04:05.000Z';

/** Two demo surveys with two photographs each; more would test nothing new. */
const FEW: DemoContent = {
  people: DEMO_CONTENT.people,
  surveys: DEMO_CONTENT.surveys.slice(0, 2).map((survey) => ({ ...survey, habitats: survey.habitats.slice(0, 2) })),
  size: { width: 400, height: 300 },
};

const said: string[] = [];
const say = (line: string): void => void said.push(line);

function boxOf(edge: EdgeProcess): RunningBox {
  return { origin: edge.url, adminToken: edge.adminToken, ca: undefined };
}

async function live(box: RunningBox): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state, isDemo } of await readAllDocuments(box))
    if (!state.folded.deleted)
      counts[`${state.kind}${isDemo ? '' : ' (real)'}`] = (counts[`${state.kind}${isDemo ? '' : ' (real)'}`] ?? 0) + 1;
  return counts;
}

describe('demo content: content', () => {
  it('every reef is a row of the bundled reef table', () => {
    const { reefs } = tableOf(
      reefFileSchema.parse(
        JSON.parse(readFileSync(new URL('../../../public/reefs/gbr.json', import.meta.url), 'utf8')),
      ),
    );
    for (const { reef } of DEMO_CONTENT.surveys) {
      const { id, gid, name, latitude, longitude } = reef;
      expect(reefs.find((row) => row.id === id)).toMatchObject({ gid, name, position: { latitude, longitude } });
    }
  });

  it('a demo has four to six surveys, forty photographs and three people, all labelled demo', () => {
    expect(DEMO_CONTENT.surveys.length).toBeGreaterThanOrEqual(4);
    expect(DEMO_CONTENT.surveys.reduce((sum, { habitats }) => sum + habitats.length, 0)).toBeGreaterThanOrEqual(38);
    expect(DEMO_CONTENT.people).toHaveLength(3);
    for (const { name } of DEMO_CONTENT.surveys) expect(name).toContain('(demo)');
    for (const { last, email } of DEMO_CONTENT.people)
      expect([last, email]).toEqual([expect.stringContaining('(demo)'), expect.stringMatching(/\.invalid$/)]);
  });
});

describe('demo content: filling and removal', () => {
  let edge: EdgeProcess;
  let box: RunningBox;
  beforeAll(async () => {
    edge = await startEdge();
    box = boxOf(edge);
  });
  afterAll(() => edge.remove());

  it(
    'an empty box gets people, surveys and photographs whose bytes match their records',
    { timeout: 120_000 },
    async () => {
      expect(await fillDemo(box, 'if-empty', say, FEW)).toEqual({ photographs: 4 });
      expect(await live(box)).toEqual({ profile: 3, survey: 2, image: 4, analysis: 12 });
      for (const { state, isDemo } of await readAllDocuments(box)) {
        expect(isDemo).toBe(true);
        if (state.kind === 'survey') surveySchema.parse({ ...state.folded.doc, id: state.docId });
        if (state.kind === 'analysis') {
          const read = readFreeDraw(state.folded.doc);
          expect(read).toMatchObject({ kind: 'free-draw', version: 3, isForm: false });
          expect(readStats(state.folded.doc)?.coverage).toBe(1);
        }
        if (state.kind !== 'image') continue;
        const image = imageSchema.parse({ ...state.folded.doc, id: state.docId });
        const bytes = Buffer.from(
          await (
            await fetch(`${box.origin}/edge/blobs/${String(image.sha256)}`, {
              headers: { authorization: `Bearer ${box.adminToken}` },
            })
          ).arrayBuffer(),
        );
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(image.sha256);
        expect(image.quality && qualityHints(image.quality)).toEqual([]);
        const exif = (await exifr.parse(bytes, { gps: true })) as { latitude: number; longitude: number; Make: string };
        expect(exif.Make).toBe('Great Reef Census');
        expect(exif.latitude).toBeCloseTo(image.position?.latitude ?? 0, 4);
        expect(exif.longitude).toBeCloseTo(image.position?.longitude ?? 0, 4);
        const truth = state.folded.doc['demoTruth'] as { cover: Record<string, number> };
        expect(Object.values(truth.cover).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 3);
      }
    },
  );

  it('a second filling adds nothing, and an interrupted one resumes', { timeout: 120_000 }, async () => {
    expect(await fillDemo(box, 'asked', say, FEW)).toMatchObject({ photographs: 0 });
    const more: DemoContent = {
      ...FEW,
      surveys: FEW.surveys.map((survey, i) =>
        i === 0 ? { ...survey, habitats: [...survey.habitats, 'lagoon' as const] } : survey,
      ),
    };
    expect(await fillDemo(box, 'if-empty', say, more)).toEqual({ photographs: 1 });
    expect(await live(box)).toEqual({ profile: 3, survey: 2, image: 5, analysis: 15 });
  });

  it('a box killed during filling gets the rest once when it is back', { timeout: 120_000 }, async () => {
    const own = await startEdge();
    try {
      const lines: string[] = [];
      let killed: Promise<void> | undefined;
      const filled = fillDemo(
        boxOf(own),
        'if-empty',
        (line) => {
          lines.push(line);
          // Killed after the first survey.
          killed ??= own.restart('SIGKILL');
        },
        FEW,
      );
      expect(await filled).toEqual({ photographs: 4 });
      await killed;
      expect(lines.filter((line) => line.includes('resuming when it is back'))).toHaveLength(1);
      expect(await live(boxOf(own))).toEqual({ profile: 3, survey: 2, image: 4, analysis: 12 });
    } finally {
      await own.remove();
    }
  });

  it('removal deletes by ops, is idempotent and survives a restart', { timeout: 120_000 }, async () => {
    expect(await removeDemo(box, NOW)).toEqual({ documents: 25, keptSurveys: [] });
    expect(await live(box)).toEqual({});
    expect(await removeDemo(box, NOW)).toEqual({ documents: 0, keptSurveys: [] });
    const again = await fillDemo(box, 'if-empty', say, FEW);
    expect(again.photographs).toBe(0);
    expect(again.reason).toContain('removed');
    expect(await live(box)).toEqual({});
  });

  it(
    'real work keeps the demo out unless requested, and keeps demo surveys that it uses',
    { timeout: 120_000 },
    async () => {
      const client = await pairedClient(edge);
      const own = surveyOp();
      expect((await client.send('survey', { op: own })).ok).toBe(true);
      expect((await fillDemo(box, 'if-empty', say, FEW)).reason).toContain('in use');
      expect(await fillDemo(box, 'asked', say, FEW)).toEqual({ photographs: 4 });
      const [first] = (await readAllDocuments(box)).filter(
        ({ state, isDemo }) => isDemo && state.kind === 'survey' && !state.folded.deleted,
      );
      expect((await client.photograph(first?.state.docId ?? '', photograph(5_000))).ok).toBe(true);
      client.close();
      const { keptSurveys } = await removeDemo(box, NOW);
      expect(keptSurveys).toEqual([first?.state.folded.doc['name']]);
      expect(await live(box)).toEqual({ 'survey (real)': 1, 'image (real)': 1, survey: 1, profile: 1 });
    },
  );

  it('an unreachable box is one clear sentence', async () => {
    await expect(
      fillDemo({ origin: 'http://127.0.0.1:9', adminToken: 'x', ca: undefined }, 'asked', say, FEW),
    ).rejects.toThrow(DemoError);
    await expect(removeDemo({ ...box, adminToken: 'wrong' }, NOW)).rejects.toThrow(/does not show its record \(401\)/);
  });
});
