import { opHandler } from './op-handler';

/** `survey`: linked to its user, who may be unknown aboard (1§5). */
export const survey = opHandler<'survey'>('survey');
