import { expose, transfer } from 'comlink';
import { createOutlineEngine } from './outline-engine';
import type { OutlineEngine } from './outline.api';

const engine = createOutlineEngine();

const api: OutlineEngine = {
  ...engine,
  area: (x, y, by) => {
    const found = engine.area(x, y, by);
    return found.state === 'found'
      ? transfer(
          found,
          found.rings.map(({ buffer }) => buffer),
        )
      : found;
  },
};

expose(api);
