import { DomainError } from '#domain/shared/decider.js';
import type { DatedResource, DatedState, NamedRecord } from '#domain/status/dated-records/dated-records.js';
import { DocumentRefused } from '../migration.js';
import type { DocumentPlace, MigrationReport } from '../report.js';

/**
 * The rules of a kind of dated record without unique names: the original does not ensure these, and of two records with one name neither
 * may be lost. New records with the name are refused as always.
 */
export const withRepeatedNames = <R extends NamedRecord>({ decider }: DatedResource<R>): DatedResource<R>['decider'] => ({
  ...decider,
  decide: (command, state: DatedState) => decider.decide(command, { ...state, holders: new Map() }),
});

const MOST_LINES = 3;

/** The first reasons why a record is invalid. */
const firstReasons = (lines: readonly string[]): string => {
  const more = lines.length > MOST_LINES ? ` and ${lines.length - MOST_LINES} more` : '';
  return `${lines.slice(0, MOST_LINES).join('; ')}${more}`;
};

/** Remarks that a record was taken over although its content violates the rules. */
export const remarkFlaws = (report: MigrationReport, place: DocumentPlace, lines: readonly string[]): void => {
  if (lines.length > 0) report.remark(place, `taken over though the rules for new ones forbid it: ${firstReasons(lines)}`);
};

type Detailed = Readonly<{ problems?: readonly Readonly<{ details: string }>[] }>;

/** Adds the reasons why a record is invalid, in the words of the API. Other errors pass through. */
export const withReasons = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    const { problems } = error instanceof DomainError ? (error.details as Detailed) : {};
    if (!problems) throw error;
    throw new DocumentRefused(firstReasons(problems.map(({ details }) => details)));
  }
};
