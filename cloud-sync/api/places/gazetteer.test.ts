import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { searchGazetteer } from './gazetteer';
import { askGeocoder } from './geocoder';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});
const log = { warn: () => undefined };
const values = (query: string) => searchGazetteer(query).map(({ value }) => value);

describe('2§5: the bundled gazetteer', () => {
  it('2§5: search returns up to 5 places from 3 characters on', () => {
    expect(searchGazetteer('ca')).toEqual([]);
    expect(searchGazetteer('  c ')).toEqual([]);
    expect(searchGazetteer('san')).toHaveLength(5);
    expect(searchGazetteer('cai')[0]).toEqual({
      id: 'place.AU.cairns-queensland',
      value: 'Cairns, Queensland, Australia',
      name: 'Cairns',
      country: 'Australia',
      _geoloc: { lat: -16.92, lng: 145.77 },
    });
  });

  it('2§5: search ignores spelling style and ranks names before state and country', () => {
    for (const typed of ['CAIRNS', ' cairns ', 'Çàîrns', 'cairns, queensland', 'cairns queensland aus'])
      expect(values(typed)[0], typed).toBe('Cairns, Queensland, Australia');
    expect(values('douglas')).toEqual(['Port Douglas, Queensland, Australia']);
    for (const typed of ['nukualofa', 'Nuku’alofa']) expect(values(typed), typed).toEqual(["Nuku'alofa, Tonga"]);
    expect(values('palau')[0]).toBe('Ngerulmud, Palau');
    expect(values('singapore')[0]).toBe('Singapore');
    for (const typed of ['xyzzy', '%%%', '...', '\u0000\u0000\u0000', '<b>a</b>'])
      expect(searchGazetteer(typed), typed).toEqual([]);
  });

  it('2§3: each place has its own id and a position on the globe', () => {
    const all = 'abcdefghijklmnopqrstuvwxyz'
      .split('')
      .flatMap((a) =>
        'aeiouhnlrs'
          .split('')
          .flatMap((b) => 'abcdefghijklmnopqrstuvwxyz'.split('').flatMap((c) => searchGazetteer(a + b + c))),
      );
    const byId = new Map(all.map((place) => [place.id, JSON.stringify(place)]));
    expect(byId.size).toBeGreaterThan(250);
    for (const place of all) {
      expect(byId.get(place.id)).toBe(JSON.stringify(place));
      expect(Math.abs(place._geoloc.lat)).toBeLessThan(70);
      expect(Math.abs(place._geoloc.lng)).toBeLessThanOrEqual(180);
      expect(place.country.length, place.id).toBeGreaterThan(2);
    }
  });
});

describe('2§7: a configured geocoder', () => {
  async function geocoder(answer: (request: IncomingMessage, reply: ServerResponse) => void): Promise<URL> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    undo.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`);
  }

  it('2§7: a request has query path, limit, types and token; its features become places', async () => {
    const asked: string[] = [];
    const url = await geocoder((request, reply) => {
      asked.push(request.url ?? '');
      const feature = {
        id: 'place.1',
        text: 'Cairns',
        place_name: 'Cairns, Queensland, Australia',
        geometry: { type: 'Point', coordinates: [145.77, -16.92] },
        relevance: 1,
      };
      reply.end(
        JSON.stringify({
          features: [
            feature,
            { id: 'place.2' },
            { ...feature, geometry: { coordinates: [999, 0] } },
            7,
            ...Array.from({ length: 8 }, (_, n) => ({ ...feature, id: n })),
          ],
        }),
      );
    });
    const places = await askGeocoder({ url, token: 'tok en' }, 'cairns; ../../x?y#z', log);
    expect(places).toHaveLength(5);
    expect(places[0]).toEqual({
      id: 'place.1',
      value: 'Cairns, Queensland, Australia',
      name: 'Cairns',
      country: 'Australia',
      _geoloc: { lat: -16.92, lng: 145.77 },
    });
    const [first = ''] = asked;
    expect(first).toMatch(
      /^\/base\/geocoding\/v5\/mapbox\.places\/[^/]+\.json\?limit=5&types=place&access_token=tok\+en$/,
    );
    expect(first).not.toContain(';');
  });

  it('2§7: "Failures give an empty list": refused, broken, redirected, too long, unreachable', async () => {
    const other = await geocoder((_request, reply) =>
      reply.end(
        JSON.stringify({ features: [{ id: 'x', text: 'X', place_name: 'X', geometry: { coordinates: [0, 0] } }] }),
      ),
    );
    for (const answer of [
      (_: IncomingMessage, reply: ServerResponse) => reply.writeHead(401).end('{}'),
      (_: IncomingMessage, reply: ServerResponse) => reply.end('<html>'),
      (_: IncomingMessage, reply: ServerResponse) => reply.end('{"features":"none"}'),
      (_: IncomingMessage, reply: ServerResponse) => reply.writeHead(302, { location: other.href }).end(),
      (_: IncomingMessage, reply: ServerResponse) => reply.end(`{"features":[],"more":"${'x'.repeat(1_100_000)}"}`),
      (request: IncomingMessage) => request.socket.destroy(),
    ])
      expect(await askGeocoder({ url: await geocoder(answer), token: null }, 'cairns', log)).toEqual([]);
    expect(await askGeocoder({ url: new URL('http://127.0.0.1:9/'), token: null }, 'cairns', log)).toEqual([]);
  });
});
