import { createHash, randomInt } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import type { EdgeProcess } from '../support/servers/edge';
import { startEdge } from '../support/servers/edge';
import type { EdgeClient } from '../support/servers/edge-client';
import { imageOp, pairedClient, surveyOp } from '../support/servers/edge-client';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const MIB = 1024 * 1024;
/** Most memory of server and picture processes together: what a box of 1 GB has left. */
const MEMORY_MAX = 600 * MIB;

/** Flat AVIF just below the pixels that any picture may have. */
let bomb: Buffer;
beforeAll(async () => {
  bomb = await sharp({ create: { width: 8940, height: 8940, channels: 3, background: '#4cc5c6' } })
    .avif({ quality: 1, effort: 0, chromaSubsampling: '4:2:0' })
    .toBuffer();
});

/** Honest photograph unlike any other. */
function honest(): Promise<Buffer> {
  const background = { r: randomInt(256), g: randomInt(256), b: randomInt(256) };
  return sharp({ create: { width: randomInt(60, 2000), height: 40, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const stat = `/proc/${name}/stat`;
    if (!/^\d+$/.test(name) || !existsSync(stat)) return [];
    return / [RSDTZt] (\d+) /.exec(readFileSync(stat, 'latin1'))?.[1] === String(pid) ? [Number(name)] : [];
  });
}

/** The one process that decodes for a server. */
function decoderOf(pid: number): number {
  const [decoder, ...others] = childrenOf(pid);
  if (decoder === undefined || others.length > 0) throw new Error(`the server has ${others.length} further decoders`);
  return decoder;
}

/** Greatest resident memory that a process has had, bytes. */
function peakBytes(pid: number): number {
  return 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}

/** Waits until the home's file of marks has an attempt at this photograph. */
async function untilTried(home: string, content: Buffer): Promise<void> {
  const file = path.join(home, 'variants', 'marks');
  while (!existsSync(file) || !readFileSync(file, 'latin1').includes(`T ${sha256(content)}`))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('a hostile photograph on a box', () => {
  let edge: EdgeProcess;
  let client: EdgeClient;
  let surveyId: string;
  beforeAll(async () => {
    edge = await startEdge();
    client = await pairedClient(edge);
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    surveyId = survey.docId;
  });
  afterAll(async () => {
    client.close();
    await edge.remove();
  });

  const ask = async (place: string, form?: Record<string, string>) => {
    const answer = await fetch(edge.url + place, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${edge.adminToken}` },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    const text = await answer.text();
    const code = answer.status < 400 ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code;
    return { status: answer.status, code, text };
  };
  const send = async (content: Buffer): Promise<string> => {
    const op = imageOp(surveyId, content);
    expect((await client.upload(op, content)).ok).toBe(true);
    expect((await client.send('image:record', { op })).ok).toBe(true);
    return op.docId;
  };
  const look = (imageId: string) => ask(`/edge/previews/${imageId}`);

  it('of 2 KB that decode to 1.5 GB takes no memory of the box, at any look', async () => {
    expect(bomb.length).toBeLessThan(2500);
    const imageId = await send(bomb);
    for (let n = 0; n < 3; n++) expect((await look(imageId)).code).toBe('too-large');
    expect((await ask(`/edge/blobs/${sha256(bomb)}/preview`)).code, 'the preview that goes ashore').toBe('too-large');
    const honestId = await send(await honest());
    expect((await look(honestId)).status).toBe(200);
    const children = childrenOf(edge.pid);
    expect(children).toHaveLength(1);
    expect([edge.pid, ...children].reduce((sum, pid) => sum + peakBytes(pid), 0)).toBeLessThan(MEMORY_MAX);
  });

  it('that lies about its size does no harm either', async () => {
    const liar = Buffer.from(bomb);
    const size = liar.indexOf('ispe') + 8;
    liar.writeUInt32BE(2000, size);
    liar.writeUInt32BE(1500, size + 4);
    expect((await look(await send(liar))).code).toBe('unsupported-media');
    expect((await look(await send(await honest()))).status).toBe(200);
    expect([edge.pid, ...childrenOf(edge.pid)].reduce((sum, pid) => sum + peakBytes(pid), 0)).toBeLessThan(MEMORY_MAX);
  });

  it('is decoded by a process that the kernel limits, and that knows no token', async () => {
    const pid = decoderOf(edge.pid);
    const limits = readFileSync(`/proc/${pid}/limits`, 'latin1');
    expect(Number(/Max data size\s+(\d+)/.exec(limits)?.[1])).toBeLessThanOrEqual(640 * MIB);
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'latin1').trim()).toBe('1000');
    expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain('REEF_HOME');
  });

  it('holds up no other, and is marked before it is tried, until staff ask again', async () => {
    const [first, second, third] = [await honest(), await honest(), await honest()];
    const [firstId, secondId, thirdId] = [await send(first), await send(second), await send(third)];
    const hanging = decoderOf(edge.pid);
    process.kill(hanging, 'SIGSTOP');
    const refused = look(firstId);
    await untilTried(path.join(edge.home, 'edge'), first);
    expect((await look(secondId)).status, 'next to one that hangs').toBe(200);
    process.kill(hanging, 'SIGKILL');
    expect((await refused).code, 'it broke its process').toBe('unsupported-media');

    const next = decoderOf(edge.pid);
    process.kill(next, 'SIGSTOP');
    const cut = look(thirdId).catch(() => undefined);
    await untilTried(path.join(edge.home, 'edge'), third);
    await edge.kill('SIGKILL');
    process.kill(next, 'SIGKILL');
    await cut;
    await edge.restart();
    for (const imageId of [firstId, thirdId]) expect((await look(imageId)).code).toBe('unsupported-media');
    expect((await look(secondId)).status).toBe(200);
    expect(childrenOf(edge.pid), 'none was tried').toEqual([]);

    // The liar of the test before is the third.
    const { text } = await ask('/edge/console');
    expect(text).toContain('3 photographs have no small picture.');
    const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect((await ask('/edge/console', { action: 'retry-pictures', form })).status).toBe(303);
    for (const imageId of [firstId, thirdId]) expect((await look(imageId)).status).toBe(200);
    expect((await ask('/edge/console')).text).not.toContain('no small picture');
  });
});

describe('a hostile photograph ashore', () => {
  let cloud: TestCloud;
  beforeAll(async () => {
    cloud = await startCloud();
  });
  afterAll(() => cloud.close());

  const bring = async (content: Buffer): Promise<string> => {
    const survey = surveyOp();
    const image = imageOp(survey.docId, content);
    await cloud.upload(content);
    expect(await cloud.ops([survey, image], 'Box0000000000001')).toMatchObject([
      { receipt: { accepted: true } },
      { receipt: { accepted: true } },
    ]);
    return image.docId;
  };
  const untilOwned = async (imageId: string, field: 'color_corrected' | 'ml'): Promise<void> => {
    while ((await cloud.cloud.context.store.document('image', imageId))?.owned[field] === undefined)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const untilMade = (imageId: string): Promise<void> => untilOwned(imageId, 'color_corrected');
  /** Until no process has anything to do for the photograph. */
  const untilOutlined = (imageId: string): Promise<void> => untilOwned(imageId, 'ml');

  it('stops no job of another, and breaks a process once until staff ask again', async () => {
    await bring(bomb);
    await untilOutlined(await bring(await honest()));
    const { variants } = cloud.cloud.context;
    const [hanging] = variants.pids;
    if (hanging === undefined) throw new Error('the service has no decoder');
    expect(peakBytes(hanging)).toBeLessThan(MEMORY_MAX);
    process.kill(hanging, 'SIGSTOP');
    const content = await honest();
    const imageId = await bring(content);
    await untilTried(cloud.settings.home, content);
    await untilOutlined(await bring(await honest()));
    process.kill(hanging, 'SIGKILL');
    while ((await variants.broken()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await cloud.restart();
    const after = cloud.cloud.context.variants;
    await expect(after.file(sha256(content), 800)).rejects.toMatchObject({ code: 'unsupported-media' });
    expect(after.pids, 'it was not tried').toEqual([]);
    expect(await after.broken()).toMatchObject([{ sha256: sha256(content) }]);
    const asked = await fetch(`${cloud.url}/console/pictures`, {
      method: 'POST',
      headers: { cookie: `reef-console=${STAFF_TOKEN}` },
      redirect: 'manual',
      body: new URLSearchParams(),
    });
    expect(asked.status).toBe(303);
    await untilMade(imageId);
  });
});
