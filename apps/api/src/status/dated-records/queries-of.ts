import type { AnyDated } from '#domain/status/dated-records/dated-records.js';

/** Injection token of the {@link DatedQueries} of a kind of record. */
export const queriesOf = ({ kind }: AnyDated): string => `DatedQueries ${kind}`;
