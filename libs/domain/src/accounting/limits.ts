import { type Limit, tellingOf } from '#domain/shared/limits.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Limits that the contract leaves open: the size of a record, and the number of records that one answer or document contains. Bytes are those of
 * compact JSON. All limits are far above the usage of the original service's callers.
 */
export const ACCOUNTING_LIMITS = {
  recordSize: { value: 64 * KIB, unit: 'bytes', says: 'The record would exceed %.' },
  installationsPerProject: { value: 10_000, unit: 'installations', says: 'The project already has the maximum of %.' },
  installationsSize: { value: 16 * MIB, unit: 'bytes', says: 'The installations of the project would exceed %.' },
  providersPerProject: { value: 1_000, unit: 'providers', says: 'The project already has the maximum of %.' },
  capacitiesPerInstallation: { value: 1_000, unit: 'capacities', says: 'The installation already has the maximum of %.' },
  entitlementsPerClient: { value: 1_000, unit: 'entitlements', says: 'The actor already has the maximum of %.' },
  metricDefinitions: { value: 10_000, unit: 'definitions', says: 'The maximum of % is reached.' },
  addedTypes: { value: 10_000, unit: 'types', says: 'The maximum of % of this kind, besides the shipped ones, is reached.' },
  resources: { value: 10_000, unit: 'resources', says: 'The maximum of % is reached.' },
  oidcTenants: { value: 1_000, unit: 'tenants', says: 'The maximum of % is reached.' },
} as const satisfies Record<string, Limit>;

export type AccountingLimitName = keyof typeof ACCOUNTING_LIMITS;

/** Texts of the limits, and the error of an exceeded limit: `OVER_LIMIT` (details `text`). */
export const { limitText, overLimit } = tellingOf(ACCOUNTING_LIMITS);

/** Requires room for one more. @throws DomainError `OVER_LIMIT` */
export const requireRoom = (name: AccountingLimitName, count: number): void => {
  if (count >= ACCOUNTING_LIMITS[name].value) throw overLimit(name);
};

/** Bytes of a record as compact JSON. */
export const sizeOf = (record: unknown): number => Buffer.byteLength(JSON.stringify(record));

/** Requires a record not to be oversized, or at least not to grow. @throws DomainError `OVER_LIMIT` */
export const requireBytes = (bytes: number, before = 0): void => {
  if (bytes > ACCOUNTING_LIMITS.recordSize.value && bytes > before) throw overLimit('recordSize');
};

/** Like {@link requireBytes}, for the compact JSON of a record. @throws DomainError `OVER_LIMIT` */
export const requireSize = (record: object, before?: object): void => requireBytes(sizeOf(record), before && sizeOf(before));
