import { describe, expect, test } from 'vitest';
import { rasterRule } from '../../../src/domain/analysis/free-draw/raster-rule';
import { ANALYSIS_LIMITS } from '../../../src/domain/limits';
import { contours } from '../../../src/imaging/contours';
import { RasterDelta } from '../../../src/imaging/label-raster/raster-delta';
import { paintPolygon } from '../../../src/imaging/label-raster/polygon';
import { blankRaster } from '../../../src/imaging/label-raster/label-raster';
import { sceneOf } from '../../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../../src/imaging/reef-renderer/render-reef';
import { simplify } from '../../../src/imaging/simplify';
import { masks } from '../../support/masks';
import type { Mask } from '../../support/masks';

const UNIT = 10 ** ANALYSIS_LIMITS.coordinateDecimals;

/** Generated reefs with the class of every pixel. */
const made = (): Mask[] =>
  (['crest', 'bleached'] as const).map((habitat) => {
    const { label, width, height } = renderReef(sceneOf(habitat, 5, { width: 600, height: 450 }));
    return { name: habitat, width, height, labels: label.map((value) => value + 1) };
  });

describe('2§9 cover by the polygon tool: areas along the outlines of a mask match its cover', () => {
  test('each class of each mask matches within 0.002, in full and simplified', async () => {
    for (const { name, width, height, labels } of [...made(), ...(await masks())]) {
      const rule = rasterRule(3, width, height);
      for (const label of new Set(labels)) {
        const truth = labels.reduce((sum, each) => sum + (each === label ? 1 : 0), 0) / labels.length;
        const rings = contours(labels, width, height, label).map((ring) =>
          Float64Array.from(ring, (value, at) => Math.round((value / (at % 2 === 0 ? width : height)) * UNIT) / UNIT),
        );
        const simpler = rings.map((ring) => simplify([...ring, ring[0]!, ring[1]!], ANALYSIS_LIMITS.simplifyTolerance));
        for (const each of [rings, simpler]) {
          const raster = blankRaster(rule.width, rule.height);
          paintPolygon(raster, each, 1, new RasterDelta());
          expect(
            Math.abs(raster.counts[1]! / (rule.width * rule.height) - truth),
            `${name}, class ${label}`,
          ).toBeLessThanOrEqual(0.002);
        }
      }
    }
  });
});
