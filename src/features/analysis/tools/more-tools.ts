import type { OfferedTool } from '../trace/seams';

/** Tools beyond pen and eraser, in the order in which they are offered; what each does stands in a file of its own and is loaded when it is taken up. */
export const MORE_TOOLS: readonly OfferedTool[] = [];
