import { expose, transfer } from 'comlink';
import { outlineEngine } from './outline-engine';
import type { OutlineEngine } from './outline.api';

const engine = outlineEngine();

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
