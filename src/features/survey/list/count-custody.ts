import type { PhotographView } from '../../../data/repositories';

/** Number of photographs by place. A photograph counts at every place that holds it safely. */
export interface CustodyCounts {
  readonly total: number;
  readonly tablet: number;
  readonly box: number;
  readonly shore: number;
  /** On a box or ashore, with a receipt. */
  readonly receipted: number;
  readonly onItsWay: number;
  /** Only on this tablet: must not be lost. */
  readonly alone: number;
  /** Lost by the box, and neither here nor ashore. */
  readonly missing: number;
  /** With a later change that is still to be sent. */
  readonly edits: number;
}

export function countCustody(photographs: readonly PhotographView[]): CustodyCounts {
  const counts = {
    total: photographs.length,
    tablet: 0,
    box: 0,
    shore: 0,
    receipted: 0,
    onItsWay: 0,
    alone: 0,
    missing: 0,
    edits: 0,
  };
  for (const { preview, custody } of photographs) {
    if (preview !== 'elsewhere') {
      counts.tablet++;
      if (custody.status !== 'box' && custody.status !== 'shore') counts.alone++;
    } else if (custody.status === 'tablet' && custody.lostBy !== undefined) counts.missing++;
    if (custody.status === 'box' || custody.status === 'shore') counts.receipted++;
    if ((custody.status === 'box' || custody.status === 'shore') && custody.edit?.status === 'unsent') counts.edits++;
    if (custody.status === 'box') counts.box++;
    else if (custody.status === 'shore') {
      counts.shore++;
      if (custody.aboard) counts.box++;
    } else if (custody.status === 'on-its-way') counts.onItsWay++;
  }
  return counts;
}
