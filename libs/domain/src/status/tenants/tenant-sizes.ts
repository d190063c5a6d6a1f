import { RECORD_DEPTH, sizeOf } from '#domain/status/limits.js';
import type { TenantInfo, TenantRegistered, UserProfile } from './tenants.js';

/** Depth of the users of a tenant in a list of tenants. */
const USER_DEPTH = RECORD_DEPTH + 2;
/** Placeholders with the length of generated ids and keys. */
const [ID, KEY] = ['0'.repeat(36), '0'.repeat(64)];

/** Bytes of an API key in an answer. Default: of a generated one. */
export const keySize = (apiKey: string | undefined): number => sizeOf(apiKey ?? KEY);

/** Bytes of a user in an answer, with a key of this size. */
export const userSize = ({ name, email, roles, component }: UserProfile, ofKey: number): number =>
  sizeOf({ id: ID, name, email, api_key: 0, roles, ...(component ? { component } : {}) }, USER_DEPTH) - 1 + ofKey;

/** Bytes of the parts of a tenant that can be replaced individually. */
export type PartSizes = Readonly<{ info: number; databases: number; topology: number }>;

/** Depth of the parts of a tenant in a list of tenants. */
const PART_DEPTH = RECORD_DEPTH + 1;
const NO_PARTS = sizeOf({ id: ID, info: 0, db_conf: 0, topology: 0, node: true, users: [] }) - 3;

export const infoSize = ({ name, email, description, image, website }: TenantInfo): number =>
  sizeOf({ name, email, description, image, website, created: KEY, updated: KEY }, PART_DEPTH);
export const databasesSize = (databases: TenantRegistered['databases']): number => sizeOf(databases, PART_DEPTH);
export const topologySize = (topology: TenantRegistered['topology']): number => sizeOf(topology, PART_DEPTH);

export const partSizes = (tenant: Pick<TenantRegistered, keyof TenantInfo | 'topology' | 'databases'>): PartSizes => ({
  info: infoSize(tenant),
  databases: databasesSize(tenant.databases),
  topology: topologySize(tenant.topology),
});

/** Bytes of a tenant without its users. */
export const sizeOfParts = ({ info, databases, topology }: PartSizes): number => NO_PARTS + info + databases + topology;
