import {
  CATEGORY_TYPES,
  categoryClass,
  type CategoryClass,
  type CategoryGroup,
  type CategoryType,
  type ModifierId,
} from '../../../domain/analysis/free-draw/categories';
import type { ToolId } from '../tools/tool';

/** Fill that must be confirmed first (2§5). */
export type FillConfirmation =
  /** "Zap asks confirmation that all unanalysed areas will be filled." */
  | { readonly kind: 'zap'; readonly paints: CategoryClass }
  /** "Choosing a flag type asks confirmation that the analysis will be cleared." */
  | { readonly kind: 'flag'; readonly paints: CategoryClass };

/**
 * UI state; the marks belong to session and journal. Each opening of the screen starts with a new one (2§2: "Leaving and re-entering
 * resets the state").
 */
export interface TraceState {
  readonly tool: ToolId;
  /** Tool to return to when Shift is released; null while it is up. */
  readonly toolBeforeShift: ToolId | null;
  readonly group: CategoryGroup;
  /** Class to paint with. Never a flag: a flag is put on the picture at once. */
  readonly paints: CategoryClass;
  readonly confirmation: FillConfirmation | null;
  readonly areMarksHidden: boolean;
  /** Cross-hair on the picture, moved by the arrows. */
  readonly byKeys: boolean;
  /** Ids of the selectable types; null: all. */
  readonly only: ReadonlySet<string> | null;
}

export type TraceAction =
  | { readonly type: 'tool'; readonly tool: ToolId }
  | { readonly type: 'shift'; readonly held: boolean }
  | { readonly type: 'group'; readonly group: CategoryGroup }
  | { readonly type: 'choose'; readonly id: string }
  | { readonly type: 'modifier'; readonly mod: ModifierId }
  | { readonly type: 'zap' }
  | { readonly type: 'answered' }
  | { readonly type: 'hide-marks'; readonly hidden: boolean }
  | { readonly type: 'by-keys'; readonly on: boolean }
  | { readonly type: 'restrict'; readonly only: readonly string[] | null };

const firstClass = (only: ReadonlySet<string> | null): CategoryClass => {
  const type = CATEGORY_TYPES.find(({ flag, id }) => !flag && (only === null || only.has(id))) ?? CATEGORY_TYPES[0];
  const found = type === undefined ? undefined : categoryClass(type.id);
  if (found === undefined) throw new Error('There is no category to paint.');
  return found;
};

export function initialTraceState(): TraceState {
  const paints = firstClass(null);
  return {
    tool: 'pen',
    toolBeforeShift: null,
    group: paints.type.group,
    paints,
    confirmation: null,
    areMarksHidden: false,
    byKeys: false,
    only: null,
  };
}

/** Types of a group by their sub-group, such as Hard coral; `label` is null for those without one. */
export function typesBySubgroup(
  types: readonly CategoryType[],
): readonly { readonly label: string | null; readonly types: readonly CategoryType[] }[] {
  const groups: { readonly label: string | null; readonly types: CategoryType[] }[] = [];
  for (const type of types) {
    const label = type.path.length > 2 ? (type.path[1] ?? null) : null;
    const last = groups.at(-1);
    if (last?.label === label) last.types.push(type);
    else groups.push({ label, types: [type] });
  }
  return groups;
}

export function selectableTypes(group: CategoryGroup, only: ReadonlySet<string> | null): readonly CategoryType[] {
  return CATEGORY_TYPES.filter((type) => type.group === group && (only === null || only.has(type.id)));
}

/**
 * 2§4: "Move and pen toggle into each other". Erase pressed again returns to the pen; an area tool stays, with the
 * corners that are set.
 */
const toggleTool = (now: ToolId, pressed: ToolId): ToolId => {
  if (now !== pressed) return pressed;
  if (pressed === 'pen') return 'move';
  return pressed === 'move' || pressed === 'erase' ? 'pen' : pressed;
};

export function traceReducer(state: TraceState, action: TraceAction): TraceState {
  switch (action.type) {
    case 'tool':
      return { ...state, tool: toggleTool(state.toolBeforeShift ?? state.tool, action.tool), toolBeforeShift: null };
    case 'shift':
      // 2§4: "shift toggles the tool temporarily".
      if (action.held)
        return state.toolBeforeShift !== null || state.confirmation !== null
          ? state
          : { ...state, toolBeforeShift: state.tool, tool: state.tool === 'move' ? 'pen' : 'move' };
      return state.toolBeforeShift === null ? state : { ...state, tool: state.toolBeforeShift, toolBeforeShift: null };
    case 'group':
      return { ...state, group: action.group };
    case 'choose':
      return chooseType(state, action.id);
    case 'modifier':
      return state.paints.type.modifiers.includes(action.mod)
        ? {
            ...state,
            paints: categoryClass(state.paints.type.id, action.mod) ?? state.paints,
            tool: paintingTool(state.tool),
          }
        : state;
    case 'zap':
      return state.paints.type.flag ? state : { ...state, confirmation: { kind: 'zap', paints: state.paints } };
    case 'answered':
      return { ...state, confirmation: null };
    case 'hide-marks':
      return { ...state, areMarksHidden: action.hidden };
    case 'by-keys':
      return { ...state, byKeys: action.on };
    case 'restrict': {
      const only = action.only === null ? null : new Set(action.only);
      if (only === null || only.has(state.paints.type.id)) return { ...state, only };
      const paints = firstClass(only);
      return { ...state, only, paints, group: paints.type.group };
    }
  }
}

/** Tool after a class was picked, which means painting with it. */
const paintingTool = (tool: ToolId): ToolId => (tool === 'move' || tool === 'erase' ? 'pen' : tool);

function chooseType(state: TraceState, id: string): TraceState {
  if (state.only !== null && !state.only.has(id)) return state;
  // The chosen state carries over if the type has it, so a colony of bleached corals needs no extra press.
  const paints = categoryClass(id, state.paints.mod);
  if (paints === undefined) return state;
  if (paints.type.flag) return { ...state, group: paints.type.group, confirmation: { kind: 'flag', paints } };
  return { ...state, group: paints.type.group, paints, tool: paintingTool(state.tool), toolBeforeShift: null };
}
