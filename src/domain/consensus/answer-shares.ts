import { COVER_CLASSES } from '../results/cover';
import type { AnalystAnswer } from '../results/csv/answers-csv';
import type { AnswerSheet } from './answer-sheet';
import { CLASS_INDEX, shareRecord } from './shares';

/** Answers of a sheet by analyst, in its order. Typed percentages count as they were typed. */
export function answerShares({
  analysts,
  isExpert,
  saysBad,
  patterns,
  cells,
  compositions,
}: AnswerSheet): readonly AnalystAnswer[] {
  const typed = new Map(compositions.map(({ analyst, shares }) => [analyst, shares]));
  return analysts.map((analyst, index): AnalystAnswer => {
    const facts = { analyst, isExpert: isExpert[index] === true, saysBad: saysBad[index] === true };
    const form = typed.get(index);
    if (form !== undefined) return { ...facts, shares: form, unanswered: 0 };
    const areas = COVER_CLASSES.map(() => 0);
    for (const { pattern, area } of cells) {
      const answer = patterns[pattern]?.answers[index] ?? -1;
      if (answer >= 0) areas[answer] = (areas[answer] ?? 0) + area;
    }
    const answered = areas.reduce((sum, area) => sum + area, 0);
    return {
      ...facts,
      shares: answered === 0 ? null : shareRecord((name) => areas[CLASS_INDEX[name]] ?? 0),
      unanswered: Math.max(0, 1 - answered),
    };
  });
}
