import { type Limit, tellingOf } from '#domain/shared/limits.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Bounds that the contract leaves open: how large a record may become, and how many records one answer or one document holds as a whole. Bytes are
 * those of compact JSON. Far above what the callers of the original service have.
 */
export const ACCOUNTING_LIMITS = {
  recordSize: { value: 64 * KIB, unit: 'bytes', says: 'The record would take more than %.' },
  installationsPerProject: { value: 10_000, unit: 'installations', says: 'The project has %, as many as it may have.' },
  installationsSize: { value: 16 * MIB, unit: 'bytes', says: 'The installations of the project would take more than %.' },
  providersPerProject: { value: 1_000, unit: 'providers', says: 'The project has %, as many as it may have.' },
  capacitiesPerInstallation: { value: 1_000, unit: 'capacities', says: 'The installation has %, as many as it may have.' },
  entitlementsPerClient: { value: 1_000, unit: 'entitlements', says: 'The actor has %, as many as it may have.' },
  metricDefinitions: { value: 10_000, unit: 'definitions', says: 'There are %, as many as there may be.' },
  addedTypes: { value: 10_000, unit: 'types', says: 'There are % of this kind beside the shipped ones, as many as there may be.' },
  resources: { value: 10_000, unit: 'resources', says: 'There are %, as many as there may be.' },
  oidcTenants: { value: 1_000, unit: 'tenants', says: 'There are %, as many as there may be.' },
} as const satisfies Record<string, Limit>;

export type AccountingLimitName = keyof typeof ACCOUNTING_LIMITS;

/** The text of a limit, and the error of a rule that is one: `OVER_LIMIT`, details `text`. */
export const { limitText, overLimit } = tellingOf(ACCOUNTING_LIMITS);

/** There is room for one more. @throws DomainError `OVER_LIMIT` */
export const requireRoom = (name: AccountingLimitName, count: number): void => {
  if (count >= ACCOUNTING_LIMITS[name].value) throw overLimit(name);
};

/** Bytes of a record as compact JSON. */
export const sizeOf = (record: unknown): number => Buffer.byteLength(JSON.stringify(record));

/** So many bytes are not too many for a record, or at least no more than it had. @throws DomainError `OVER_LIMIT` */
export const requireBytes = (bytes: number, before = 0): void => {
  if (bytes > ACCOUNTING_LIMITS.recordSize.value && bytes > before) throw overLimit('recordSize');
};

/** The same of a record. @throws DomainError `OVER_LIMIT` */
export const requireSize = (record: object, before?: object): void => requireBytes(sizeOf(record), before && sizeOf(before));
