import type { SurveyId } from '../ids';

/** A file as a person gave it, as far as a name, a size and a time tell it from others. */
export interface ChosenFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** ms since the epoch, as the file system says. */
  readonly lastModified: number;
}

/** A file that was given and not taken: what it is called and why, in plain words. */
export interface SkippedFile {
  readonly name: string;
  readonly why: string;
}

/**
 * One batch of files that a person gave to a survey, kept from before the first one is read. Without it a tab that is
 * killed in the middle would leave no trace of the files that it had not read yet, and the card would look safe.
 */
export interface Intake {
  readonly id: string;
  readonly surveyId: SurveyId;
  /** ISO 8601, by this tablet's clock. */
  readonly at: string;
  /** How many files were given. */
  readonly given: number;
  /** Names (`fileKey`) of those that are not read yet. Empty: the batch was read to its end. */
  readonly unread: readonly string[];
  /** Files that were refused or could not be read, and that nobody has looked at yet. */
  readonly leftOut: readonly SkippedFile[];
}

/** What tells one given file from another. */
export function fileKey({ name, size, lastModified }: ChosenFile): string {
  return `${name}|${size}|${lastModified}`;
}

/** A batch before anything of it was read. */
export function newIntake(id: string, surveyId: SurveyId, at: string, files: readonly ChosenFile[]): Intake {
  return { id, surveyId, at, given: files.length, unread: files.map(fileKey), leftOut: [] };
}

/** What became of files of a batch. */
export interface SettledFiles {
  /** Files (`fileKey`) that are saved, or that the survey had already. One name counts once for each file. */
  readonly taken: readonly string[];
  readonly leftOut: readonly { readonly key: string; readonly name: string; readonly why: string }[];
}

/** The batch after some of its files were read. */
export function settleIntake(intake: Intake, { taken, leftOut }: SettledFiles): Intake {
  return {
    ...intake,
    unread: removeNames(intake.unread, [...taken, ...leftOut.map(({ key }) => key)]),
    leftOut: [...intake.leftOut, ...leftOut.map(({ name, why }) => ({ name, why }))],
  };
}

/** An older batch of the same survey after the same files were taken in a later one: reading a card again makes up for a break. */
export function withFilesReread(intake: Intake, taken: readonly string[]): Intake {
  return { ...intake, unread: removeNames(intake.unread, taken) };
}

/** The batch after a person said that they looked at what was left out and at what was never read. */
export function acknowledgeIntake(intake: Intake): Intake {
  return { ...intake, unread: [], leftOut: [] };
}

/** True once nothing of it is unread or waits to be looked at. */
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
