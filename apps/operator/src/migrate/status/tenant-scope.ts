import type { Day } from '#domain/shared/time.js';
import type { ExportedFile } from '../read/exported-files.js';
import type { StatusMigration } from './options.js';

/** A tenant taken over, with the original's database of its data. */
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
  /** Ids of users left out because another user has their key. */
  readonly usersLeftOut = new Set<string>();
  /** Ids of users that had no key and got a new, unknown one. */
  readonly usersWithoutKey = new Set<string>();
  /** Ids of a tenant's records of a kind, by `<kind> <tenant>`. */
  readonly records = new Map<string, ReadonlySet<string>>();
  /** Days whose lists were written, by `<kind> <tenant>`. */
  readonly days = new Map<string, ReadonlySet<Day>>();
  /** Id of the report of each tenant as a node, if it has one. */
  readonly nodeReports = new Map<string, string>();

  static key(kind: string, { tenantId }: Pick<TenantScope, 'tenantId'>): string {
    return `${kind} ${tenantId}`;
  }
}
