import { DomainError } from '#domain/shared/decider.js';
import type { DatedResource, DatedState, NamedRecord } from '#domain/status/dated-records/dated-records.js';
import { Refused } from '../migration.js';

/**
 * The rules of a kind of dated record without the one that names are unique: nothing in the original ensures that, and of two records with one name
 * neither may be lost. New records with the name are refused as always.
 */
export const withRepeatedNames = <R extends NamedRecord>({ decider }: DatedResource<R>): DatedResource<R>['decider'] => ({
  ...decider,
  decide: (command, state: DatedState) => decider.decide(command, { ...state, holders: new Map() }),
});

const MOST_LINES = 3;

type Detailed = Readonly<{ lines?: readonly string[]; problems?: readonly Readonly<{ details: string }>[] }>;

/** Says what is wrong with a record, as its callers are told. Other errors pass. */
export const withReasons = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    const { lines, problems } = error instanceof DomainError ? (error.details as Detailed) : {};
    const reasons = lines ?? problems?.map(({ details }) => details);
    if (!reasons) throw error;
    const more = reasons.length > MOST_LINES ? ` and ${reasons.length - MOST_LINES} more` : '';
    throw new Refused(`${reasons.slice(0, MOST_LINES).join('; ')}${more}`);
  }
};
