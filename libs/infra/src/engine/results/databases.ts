import type { Database, RootDatabase } from 'lmdb';
import { copiedBytes } from '#infra/platform/lmdb/copied-bytes.js';
import { type Environment, openStoreIn } from '#infra/platform/lmdb/environment.js';
import { keyEncoder } from '#infra/platform/lmdb/key-encoder.js';

/** Format of stored results and of their computation. A change makes every node recompute its results. */
const RESULTS_FORMAT = 4;

const DATABASES = 4;

const TEXT = { encoding: 'string', keyEncoder } as const;
const BYTES = { encoding: 'binary', keyEncoder, encoder: copiedBytes } as const;

/** The databases of stored results. One thread writes, others read. Every row has a checksum. */
export type ResultsDatabases = Readonly<{
  environment: Environment;
  root: RootDatabase;
  /** Day, tenant and report → proof of the documents of that day, as JSON. */
  heads: Database<string, string>;
  /** Day, tenant and report → groups and groups of groups. */
  summaries: Database<Buffer, string>;
  /** Day, tenant, report and group → the group with everything below it. */
  groups: Database<Buffer, string>;
  meta: Database<string, string>;
}>;

/** @throws EnvironmentError */
export const openResultsDatabases = (path: string, report: (message: string) => void): ResultsDatabases =>
  openStoreIn({ path, durability: 'replayable', isShared: true, maxDbs: DATABASES, format: RESULTS_FORMAT, report }, (environment) => {
    const { root } = environment;
    return {
      environment,
      root,
      heads: root.openDB<string, string>('heads', TEXT),
      summaries: root.openDB<Buffer, string>('summaries', BYTES),
      groups: root.openDB<Buffer, string>('groups', BYTES),
      meta: root.openDB<string, string>('meta', TEXT),
    };
  });
