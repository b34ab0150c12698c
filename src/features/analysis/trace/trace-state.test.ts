import { expect, test } from 'vitest';
import {
  initialTraceState,
  traceReducer,
  selectableTypes,
  typesBySubgroup,
  type TraceAction,
  type TraceState,
} from './trace-state';

const after = (...actions: readonly TraceAction[]): TraceState => actions.reduce(traceReducer, initialTraceState());

test('2§4 free-draw: the move tool toggles with the pen', () => {
  expect(after().tool).toBe('pen');
  expect(after({ type: 'tool', tool: 'pen' }).tool).toBe('move');
  expect(after({ type: 'tool', tool: 'move' }).tool).toBe('move');
  expect(after({ type: 'tool', tool: 'move' }, { type: 'tool', tool: 'move' }).tool).toBe('pen');
  expect(after({ type: 'tool', tool: 'erase' }).tool).toBe('erase');
  expect(after({ type: 'tool', tool: 'erase' }, { type: 'tool', tool: 'erase' }).tool).toBe('pen');
});

test('2§4 free-draw: pressing the chosen area tool again keeps it', () => {
  for (const tool of ['tap', 'polygon', 'edge'] as const) {
    expect(after({ type: 'tool', tool }, { type: 'tool', tool }).tool).toBe(tool);
    expect(after({ type: 'tool', tool }, { type: 'tool', tool }, { type: 'tool', tool: 'pen' }).tool).toBe('pen');
  }
});

test('2§4 free-draw: shift toggles the tool while held', () => {
  expect(after({ type: 'shift', held: true }).tool).toBe('move');
  expect(after({ type: 'shift', held: true }, { type: 'shift', held: true }, { type: 'shift', held: false }).tool).toBe(
    'pen',
  );
  expect(after({ type: 'tool', tool: 'move' }, { type: 'shift', held: true }).tool).toBe('pen');
  expect(
    after({ type: 'tool', tool: 'erase' }, { type: 'shift', held: true }, { type: 'shift', held: false }).tool,
  ).toBe('erase');
  expect(
    after({ type: 'shift', held: true }, { type: 'tool', tool: 'erase' }, { type: 'shift', held: false }).tool,
  ).toBe('erase');
});

test('2§5: zap and flag types ask first, and asking changes nothing', () => {
  const zap = after({ type: 'choose', id: 'background_substrate' }, { type: 'zap' });
  expect(zap.confirmation).toMatchObject({ kind: 'zap', paints: { type: { id: 'background_substrate' } } });
  expect(traceReducer(zap, { type: 'answered' }).confirmation).toBeNull();
  const flag = after({ type: 'choose', id: 'reef_softcoral' }, { type: 'choose', id: 'flag_focus' });
  expect(flag.confirmation).toMatchObject({ kind: 'flag', paints: { type: { id: 'flag_focus' } } });
  expect(flag.paints.type.id).toBe('reef_softcoral');
});

test('2§3 category tree: a state carries over only to a type that has it', () => {
  const bleached = after({ type: 'modifier', mod: 'bleached' });
  expect(bleached.paints.mod).toBe('bleached');
  expect(traceReducer(bleached, { type: 'choose', id: 'reef_hardcoral_plating' }).paints.mod).toBe('bleached');
  const sand = traceReducer(bleached, { type: 'choose', id: 'background_substrate' });
  expect(sand.paints.mod).toBeUndefined();
  expect(traceReducer(sand, { type: 'modifier', mod: 'dead' })).toBe(sand);
});

test('2§4 free-draw: picking a class selects a tool that paints', () => {
  expect(after({ type: 'tool', tool: 'erase' }, { type: 'choose', id: 'reef_softcoral' }).tool).toBe('pen');
  expect(after({ type: 'tool', tool: 'polygon' }, { type: 'choose', id: 'reef_softcoral' }).tool).toBe('polygon');
});

test('2§2 free-draw: types are listed under their sub-groups, in the order of the tree', () => {
  const labels = typesBySubgroup(selectableTypes('reef', null)).map(({ label, types }) => [
    label,
    types.map((type) => type.label),
  ]);
  expect(labels).toEqual([
    ['Hard coral', ['Branching', 'Plating', 'Boulder', 'Other hard coral']],
    [null, ['Soft coral']],
    ['Other structure', ['Coral rubble', 'Algae', 'Anemone', 'Sea fan', 'Reef structure', 'Other structure']],
    [null, ['Mystery coral', 'Can’t see']],
  ]);
  expect(typesBySubgroup(selectableTypes('flag', null)).map(({ label }) => label)).toEqual([null]);
});

test('2§4 modes: types outside the mode cannot be chosen', () => {
  const only = after({ type: 'restrict', only: ['reef_softcoral', 'background_water'] });
  expect(only.paints.type.id).toBe('reef_softcoral');
  expect(selectableTypes('reef', only.only).map(({ id }) => id)).toEqual(['reef_softcoral']);
  expect(traceReducer(only, { type: 'choose', id: 'wildlife_fish' })).toBe(only);
  expect(traceReducer(only, { type: 'restrict', only: null }).only).toBeNull();
});
