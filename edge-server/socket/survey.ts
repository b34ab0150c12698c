import { opHandler } from './op-handler';

/** `survey`: linked to its user, who need not be known aboard (1§5). */
export const survey = opHandler<'survey'>('survey');
