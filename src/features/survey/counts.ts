import type { PhotographView } from '../../data/repositories';

/** How many photographs stand where. A photograph counts at every place that holds it safely. */
export interface CustodyCounts {
  readonly total: number;
  readonly tablet: number;
  readonly box: number;
  readonly shore: number;
  readonly onItsWay: number;
  /** Here and nowhere else yet: what must not be lost. */
  readonly alone: number;
}

/** Counts a survey's photographs by custody. */
export function countCustody(photographs: readonly PhotographView[]): CustodyCounts {
  const at = (place: PhotographView['custody']['at']) => photographs.filter(({ custody }) => custody.at === place).length;
  return {
    total: photographs.length,
    tablet: photographs.filter(({ preview }) => preview !== 'elsewhere').length,
    box: at('box'),
    shore: at('shore'),
    onItsWay: at('on-its-way'),
    alone: photographs.filter(({ preview, custody }) => preview !== 'elsewhere' && custody.at !== 'box' && custody.at !== 'shore').length,
  };
}
