import type { SurveyId } from '../ids';

/** File chosen by a person, identified by name, size and time. */
export interface ChosenFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** ms since the epoch, from the file system. */
  readonly lastModified: number;
}

/** File that was not added, with the reason in plain words. */
export interface SkippedFile {
  readonly name: string;
  readonly why: string;
}

/**
 * Batch of files that a person added to a survey. Stored before the first file is read: without it, killing the tab
 * would leave no trace of unread files and the card would look safe.
 */
export interface Intake {
  readonly id: string;
  readonly surveyId: SurveyId;
  /** ISO 8601, by this tablet's clock. */
  readonly at: string;
  /** Number of files in the batch. */
  readonly given: number;
  /** Keys (`fileKey`) of unread files. Empty: the batch was read completely. */
  readonly unread: readonly string[];
  /** Rejected or unreadable files that no one has acknowledged. */
  readonly leftOut: readonly SkippedFile[];
}

/** Identity of a chosen file. */
export function fileKey({ name, size, lastModified }: ChosenFile): string {
  return `${name}|${size}|${lastModified}`;
}

/** New batch with all files unread. */
export function newIntake(id: string, surveyId: SurveyId, at: string, files: readonly ChosenFile[]): Intake {
  return { id, surveyId, at, given: files.length, unread: files.map(fileKey), leftOut: [] };
}

export interface SettledFiles {
  /** Keys (`fileKey`) of files that are saved or were already in the survey. One key counts once for each file. */
  readonly taken: readonly string[];
  readonly leftOut: readonly { readonly key: string; readonly name: string; readonly why: string }[];
}

/** Batch after some of its files were read. */
export function settleIntake(intake: Intake, { taken, leftOut }: SettledFiles): Intake {
  return {
    ...intake,
    unread: removeNames(intake.unread, [...taken, ...leftOut.map(({ key }) => key)]),
    leftOut: [...intake.leftOut, ...leftOut.map(({ name, why }) => ({ name, why }))],
  };
}

/**
 * Older batch of the same survey after a later one added the same files: reading a card again makes up for an
 * interruption.
 */
export function withFilesReread(intake: Intake, taken: readonly string[]): Intake {
  return { ...intake, unread: removeNames(intake.unread, taken) };
}

/** Batch after a person acknowledged its skipped and unread files. */
export function acknowledgeIntake(intake: Intake): Intake {
  return { ...intake, unread: [], leftOut: [] };
}

/** True if nothing is unread or awaits acknowledgement. */
export function isIntakeClosed({ unread, leftOut }: Intake): boolean {
  return unread.length === 0 && leftOut.length === 0;
}

function removeNames(names: readonly string[], gone: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const name of gone) left.set(name, (left.get(name) ?? 0) + 1);
  return names.filter((name) => {
    const n = left.get(name) ?? 0;
    if (n === 0) return true;
    left.set(name, n - 1);
    return false;
  });
}
