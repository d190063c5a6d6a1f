import type { Day } from '#domain/shared/time.js';
import type { ExportedFile } from '../read/exported-files.js';
import type { StatusMigration } from './options.js';

/** A tenant that was taken, with the database of the original that holds its data. */
export type TenantScope = Readonly<{ tenantId: string; name: string; database: string | undefined }>;

/** The file of a collection of a tenant. */
export const fileOf = (
  { files }: Pick<StatusMigration, 'files'>,
  { database }: TenantScope,
  collection: string,
): ExportedFile | undefined =>
  database === undefined ? undefined : files.find((file) => file.collection === collection && file.database === database);

/** Findings of a run, for its later steps and its verification. */
export class Findings {
  readonly tenants: TenantScope[] = [];
  /** Ids of users who were left out because somebody else has their key. */
  readonly usersLeftOut = new Set<string>();
  /** Ids of users who got a key that nobody knows, because they had none. */
  readonly usersWithoutKey = new Set<string>();
  /** Ids of the records of a kind that a tenant has, by `<kind> <tenant>`. */
  readonly records = new Map<string, ReadonlySet<string>>();
  /** Days whose lists were written, by `<kind> <tenant>`. */
  readonly days = new Map<string, ReadonlySet<Day>>();
  /** Of each tenant that has one, the id of the report of the tenant as a node. */
  readonly nodeReports = new Map<string, string>();

  static key(kind: string, { tenantId }: Pick<TenantScope, 'tenantId'>): string {
    return `${kind} ${tenantId}`;
  }
}
