import {
  datasetCommandSchema,
  datasetLinkSchema,
  datasetPatchSchema,
  datasetRegionSchema,
} from '../../../src/protocol/datasets';
import { datasetInputSchema } from '../../../src/domain/dataset/dataset';
import type { RouteDescription } from './route-description';

export const DATASET_DESCRIPTIONS: Readonly<Record<string, RouteDescription>> = {
  'POST /api/datasets': {
    summary: 'Creates a dataset; `note` names those it overlaps with.',
    body: datasetInputSchema,
  },
  'PATCH /api/datasets/:id': { summary: 'Changes names or dates of a dataset.', body: datasetPatchSchema },
  'DELETE /api/datasets/:id': { summary: 'Deletes a dataset softly.', query: datasetRegionSchema },
  'POST /api/datasets/:id/restore': { summary: 'Restores a deleted dataset.', body: datasetRegionSchema },
  'POST /api/datasets/:id/link': {
    summary: 'Links surveys and features to a dataset, or unlinks them; returns ids that the region does not have.',
    body: datasetLinkSchema,
  },
  'POST /api/dataset-tag-surveys': {
    summary: 'Tags the surveys of the region with their datasets now.',
    body: datasetCommandSchema,
  },
  'POST /api/figures/renew': { summary: 'Renews the skill of all analysts, and then all figures, in the background.' },
  'GET /api/figures/broken': { summary: 'Photographs whose consensus could not be computed, with the reason.' },
  'POST /api/figures/broken/retry': { summary: 'Computes those photographs again; returns their number.' },
  'POST /api/dataset-reporting-stats-backfill': {
    summary: 'Counts the surveys, images and reefs of a dataset again.',
    body: datasetCommandSchema,
  },
};
