import { DomainError } from '#domain/shared/decider.js';
import type { AccountingError } from './errors.js';

/** Narrows the result of a lookup. @throws AccountingError made by `notFound`, if it found nothing */
export const existing = async <T>(found: Promise<T | undefined>, notFound: (id: string) => AccountingError, id: string): Promise<T> => {
  const record = await found;
  if (record === undefined) throw notFound(id);
  return record;
};

/** The same for commands. @throws DomainError with this code and these details */
export const known = async <T>(found: Promise<T | undefined>, code: string, details: DomainError['details']): Promise<T> => {
  const record = await found;
  if (record === undefined) throw new DomainError(code, details);
  return record;
};
