import type { AccountingError } from '#api/accounting/errors.js';

/** The record that a call names. @throws AccountingError made by `notFound`, if there is no such record */
export const existing = async <T>(found: Promise<T | undefined>, notFound: (id: string) => AccountingError, id: string): Promise<T> => {
  const record = await found;
  if (record === undefined) throw notFound(id);
  return record;
};
