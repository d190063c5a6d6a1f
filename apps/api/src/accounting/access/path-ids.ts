import { storedObjectId } from '#domain/accounting/object-id.js';
import { DomainError } from '#domain/shared/decider.js';

/** Stored form of an id in a path. */
export const storedId = (id: string): string => storedObjectId(id) ?? id;

/**
 * Runs a command about records of the path. Errors echo ids in the caller's spelling (accounting contract 2.3), commands use the stored
 * one.
 * @throws DomainError of the command, with the id of the path in its details
 */
export const echoing = async <Result>(ids: readonly string[], run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    const spelled = error instanceof DomainError ? ids.find((id) => storedId(id) === error.details.id) : undefined;
    throw error instanceof DomainError && spelled !== undefined ? new DomainError(error.code, { id: spelled }) : error;
  }
};
