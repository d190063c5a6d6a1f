import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { type Lock, lockDirectory } from '#infra/platform/lmdb/lock.js';
import { makeDirectoryDurably } from '#infra/platform/lmdb/write-file-durably.js';
import { ThreadSignal } from '#infra/platform/scheduling/news.js';
import type { Build, PastBuild } from './build.js';
import { Builds } from './builds/builds.js';
import { DocumentIndex } from './document-index.js';
import { DocumentStore, type DocumentStoreParts } from './document-store.js';
import { Condition, type ReadModelDamage } from './failures/condition.js';
import { DISK, type Files } from './files/files.js';
import { Indexing } from './indexing.js';
import { MERGE_SIZES, type MergeSizes } from './maintenance/merging.js';
import { MOST_REMOVED } from './removals.js';
import { Damaged } from './texts/record.js';

export type DocumentStoreOptions = Readonly<{
  /** Directory of the files; created with mode 0700 if missing. */
  path: string;
  /** Opens existing documents for reading: in the process that writes, or while no process writes. Default false. */
  readOnly?: boolean;
  /** Set if only this node uses them. Default false. */
  isAlone?: boolean;
  /** Returns whether a projection's past is kept. Default: no. Files without it are compacted when most of their content is outdated. */
  keepsPast?: (projection: string) => boolean;
  /** Builds of these projections of earlier releases are removed. Default: none. */
  isObsolete?: (projection: string) => boolean;
  /** Returns whether the newest documents of a projection show its past, because they carry positions. Default: no. */
  carriesPast?: (projection: string) => boolean;
  /**
   * Returns whether a replaced build is kept because the past that it shows cannot be rebuilt. It is kept only while its replacement does
   * not show that past. Default: no.
   */
  keepsBuild?: (projection: string, build: PastBuild) => boolean;
  /** Receives a sentence about each problem found and repaired. Default: `process.emitWarning`. */
  report?: (message: string) => void;
  /** Called once per build when damage is found later. The documents are not read until they have been rebuilt. */
  onDamage?: (damage: ReadModelDamage) => void;
  /** File system calls. Default: those of Node. */
  files?: Files;
  /** How a past is merged. Default: {@link MERGE_SIZES}; tests set less. */
  mergeSizes?: Partial<MergeSizes>;
  /** Documents that are removed by prefix at once. Default: {@link MOST_REMOVED}; tests set less. */
  mostRemoved?: number;
}>;

type Report = (message: string) => void;

/**
 * Opens the documents in a directory. Only one process writes. If it is killed, its commits survive; those of `commitSoon` do so once they
 * are written. A power loss can lose the last seconds.
 * @throws EnvironmentError the directory cannot be used, or another process writes to it
 */
export const openDocumentStore = async (options: DocumentStoreOptions): Promise<DocumentStore> => {
  const { path, readOnly = false, report = (message) => process.emitWarning(message) } = options;
  const index = join(path, 'index');
  if (readOnly) return new DocumentStore(partsOf(options, DocumentIndex.open(index, true), () => {}));
  const lock = onDisk(path, () => {
    makeDirectoryDurably(path);
    return lockDirectory(path);
  });
  try {
    const { onDamage = () => {} } = options;
    let found = ({ projection, error }: ReadModelDamage): void =>
      report(`${path} is damaged: documents of ${projection} (${(error as Error).message}): deleted, to be built again`);
    const onFound = (damage: ReadModelDamage): void => found(damage);
    const parts = partsOf({ ...options, onDamage: onFound }, await openIndex(index, report), lock.release);
    await recover(parts, lock, options.isObsolete ?? (() => false), () => {
      report(`${path} is damaged: the list of builds cannot be read: deleted, to be built again`);
      rmSync(join(path, 'builds'));
    }).catch(async (error) => {
      parts.builds.close();
      await parts.index.close();
      throw error;
    });
    found = onDamage;
    return new DocumentStore(parts);
  } catch (error) {
    lock.release();
    throw error instanceof EnvironmentError ? error : new EnvironmentError(path, 'cannot be used', { cause: error });
  }
};

const partsOf = (options: DocumentStoreOptions, index: DocumentIndex, unlock: () => void): DocumentStoreParts => {
  const {
    path: directory,
    readOnly = false,
    isAlone = false,
    files = DISK,
    keepsPast = () => false,
    carriesPast = () => false,
    keepsBuild = () => false,
    mergeSizes,
    mostRemoved = MOST_REMOVED,
  } = options;
  const condition = new Condition(index, options.onDamage ?? (() => {}));
  const builds = new Builds({ directory, index, condition, files, readOnly, keepsPast, carriesPast });
  return {
    builds,
    index,
    indexing: new Indexing(builds, index),
    condition,
    news: new ThreadSignal(directory),
    readOnly,
    isAlone,
    keepsBuild,
    mergeSizes: { ...MERGE_SIZES, ...mergeSizes },
    mostRemoved,
    unlock,
  };
};

/** Deletes an unusable index: it can be rebuilt from the files. @throws EnvironmentError */
const openIndex = async (path: string, report: Report): Promise<DocumentIndex> => {
  let index: DocumentIndex | undefined;
  try {
    index = DocumentIndex.open(path, false, report);
    index.check();
    return index;
  } catch (error) {
    await index?.close();
    report(`${path} cannot be used: deleted, to be made of the documents again (${error instanceof Error ? error.message : error})`);
    rmSync(path, { recursive: true, force: true });
    return DocumentIndex.open(path, false, report);
  }
};

/**
 * Opens the builds of the catalogue for writing: reads the part of their files that is not indexed, and cuts off what a killed process
 * wrote in part. Discards damaged builds. Throws file system errors that concern the directory, and errors of the index.
 */
const recover = async (
  parts: DocumentStoreParts,
  { found }: Lock,
  isObsolete: (projection: string) => boolean,
  discard: () => void,
): Promise<void> => {
  const { builds, condition, indexing } = parts;
  try {
    builds.catalogue.look();
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    discard();
    builds.catalogue.look();
  }
  builds.settle();
  const isDiscarded = ({ namespace }: Build): boolean => isObsolete(namespace.projection);
  if ([...builds.all].some(isDiscarded)) await builds.discard(isDiscarded);
  builds.removeOthers();
  const slice = new TimeSlice();
  for (const build of builds.all)
    for (const _ of replay(build, condition, found === 'stopped')) {
      if (indexing.isFull) await indexing.run();
      if (slice.isOver) await slice.next();
    }
  if (condition.hasDamage) await builds.discard((build) => condition.isDamaged(build));
};

/** Yields after each batch. */
function* replay(build: Build, condition: Condition, hasStopped: boolean): Generator<void> {
  if (condition.isDamaged(build)) return;
  const { file } = build;
  try {
    for (const batch of file.batches(hasStopped)) {
      build.apply(batch);
      yield;
    }
    if (file.size() > file.length) file.cut();
  } catch (error) {
    condition.note(build, error);
  }
}

/** @throws EnvironmentError instead of an error of the file system */
const onDisk = <Result>(path: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    throw error instanceof EnvironmentError ? error : new EnvironmentError(path, 'cannot be written', { cause: error });
  }
};
