import { createHash, randomUUID } from 'node:crypto';
import type { Position } from '#domain/shared/events.js';
import type { ContestedWrite } from '#infra/engine/projection-runner/working-set.js';
import type { Change, Namespace, ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { SetAside, type SetAsideGroup } from './set-aside.js';

/**
 * Collections beside those of the projection, in the same namespace and therefore committed with its checkpoint. The marks of the namespace
 * identify their contents, except the numbers of waiting events, which are only shown.
 */
const GROUPS = '$set-aside';
/** Group → number of waiting events. */
const WAITING = '$waiting';
/** Hash of collection and key → position of the last write since something was set aside; for contested collections. */
const WRITTEN = '$written';
/** Hash of collection and prefix → {@link StoredRemoval}; for contested collections. */
const REMOVED = '$removed';

type StoredGroup = Readonly<{
  partitions: Readonly<Record<string, string>>;
  failure: Readonly<{ position: string; eventId: string; type: string; message: string; at: string }>;
  resuming: boolean;
  after: string;
  asked?: string;
}>;
type StoredRemoval = Readonly<{ collection: string; prefix: string; position: string }>;

const put = (collection: string, key: string, value: unknown): Change => ({ kind: 'put', collection, key, value: JSON.stringify(value) });
const remove = (collection: string, key: string): Change => ({ kind: 'delete', collection, key });
const parse = <T>({ value }: StoredDocument): T => JSON.parse(value.toString('utf8')) as T;

const stored = ({ partitions, failure, resuming, after, asked }: SetAsideGroup): StoredGroup => ({
  partitions: Object.fromEntries(Array.from(partitions, ([partition, from]) => [partition, `${from}`])),
  failure: { ...failure, position: `${failure.position}` },
  resuming,
  after: `${after}`,
  ...(asked !== undefined && { asked: `${asked}` }),
});

const groupOf = (document: StoredDocument, waiting: number): SetAsideGroup => {
  const { partitions, failure, resuming, after, asked } = parse<StoredGroup>(document);
  return {
    id: document.key,
    partitions: new Map(Object.entries(partitions).map(([partition, from]) => [partition, BigInt(from)])),
    failure: { ...failure, position: BigInt(failure.position) },
    resuming,
    after: BigInt(after),
    ...(asked !== undefined && { asked: BigInt(asked) }),
    waiting,
  };
};

/** Returns whether the documents record anything as set aside. @throws NamespaceGone, ReadStoreUnavailable */
export const hasSetAside = async (documents: ReadView): Promise<boolean> => (await documents.range(GROUPS, { limit: 1 })).length > 0;

/** Reads the set-aside state and its marks. @throws NamespaceGone, ReadStoreUnavailable */
export const readSetAside = async (
  store: Pick<ReadStore, 'marks' | 'documents'>,
  namespace: Namespace,
): Promise<Readonly<{ setAside: SetAside; marks: string }>> => {
  for (let marks = await store.marks(namespace); ; ) {
    if (marks === '') return { setAside: SetAside.NONE, marks };
    const documents = store.documents(namespace);
    const [groups, waiting] = await Promise.all([documents.range(GROUPS, {}), documents.range(WAITING, {})]);
    const counts = new Map(waiting.map((document) => [document.key, parse<number>(document)]));
    const setAside = new SetAside(groups.map((document) => groupOf(document, counts.get(document.key) ?? 1)));
    const after = await store.marks(namespace);
    if (after === marks) return { setAside, marks };
    marks = after;
  }
};

const isMoved = (before: SetAsideGroup | undefined, after: SetAsideGroup): boolean =>
  before?.partitions !== after.partitions &&
  (before?.partitions.size !== after.partitions.size ||
    [...after.partitions].some(([partition, from]) => before.partitions.get(partition) !== from));

const isChanged = (before: SetAsideGroup | undefined, after: SetAsideGroup): boolean =>
  before?.failure !== after.failure ||
  before.resuming !== after.resuming ||
  before.after !== after.after ||
  before.asked !== after.asked ||
  isMoved(before, after);

/**
 * Changes from one state to the other. `marked`: not only numbers of waiting events change, so the marks must change, too. When nothing is
 * set aside any more, everything is removed.
 */
export const setAsideChanges = (before: SetAside, after: SetAside): Readonly<{ changes: readonly Change[]; marked: boolean }> => {
  if (before === after) return { changes: [], marked: false };
  if (after.isEmpty) {
    const collections = [GROUPS, WAITING, WRITTEN, REMOVED];
    return { changes: collections.map((collection) => ({ kind: 'delete-prefix', collection, prefix: '' })), marked: true };
  }
  const gone = [...before.groups.keys()].filter((id) => !after.groups.has(id));
  const changed = [...after.groups.values()].filter((group) => isChanged(before.groups.get(group.id), group));
  const counted = [...after.groups.values()].filter(({ id, waiting }) => before.groups.get(id)?.waiting !== waiting);
  const changes = [
    ...gone.flatMap((id) => [remove(GROUPS, id), remove(WAITING, id)]),
    ...changed.map((group) => put(GROUPS, group.id, stored(group))),
    ...counted.map(({ id, waiting }) => put(WAITING, id, waiting)),
  ];
  return { changes, marked: gone.length > 0 || changed.length > 0 };
};

/** New marks for a state: empty exactly when nothing is set aside, otherwise unique. */
export const newMarks = (setAside: SetAside): string => (setAside.isEmpty ? '' : randomUUID());

const nameOf = (collection: string, keyOrPrefix: string): string =>
  createHash('sha256').update(`${collection}\0${keyOrPrefix}`).digest('hex');

/** Records when contested keys were written, for later writes of earlier events. */
export const contestedChanges = (writes: readonly ContestedWrite[]): readonly Change[] =>
  writes.map((write) => {
    const { collection, position } = write;
    if ('key' in write) return put(WRITTEN, nameOf(collection, write.key), `${position}`);
    const removal: StoredRemoval = { collection, prefix: write.prefix, position: `${position}` };
    return put(REMOVED, nameOf(collection, write.prefix), removal);
  });

/** Position of the last recorded write to a contested key since something was set aside. */
export type LastWrites = (collection: string, key: string) => Position;

/** @throws NamespaceGone, ReadStoreUnavailable */
export const readLastWrites = async (
  documents: ReadView,
  keys: readonly Readonly<{ collection: string; key: string }>[],
): Promise<LastWrites> => {
  const names = [...new Set(keys.map(({ collection, key }) => nameOf(collection, key)))];
  const [written, removed] = await Promise.all([documents.getMany(WRITTEN, names), documents.range(REMOVED, {})]);
  const positions = new Map(names.map((name, index) => [name, BigInt(JSON.parse(written[index]?.toString() ?? '"0"'))]));
  const removals = removed.map((document) => parse<StoredRemoval>(document));
  return (collection, key) =>
    removals.reduce(
      (last, removal) => {
        const at = BigInt(removal.position);
        return at > last && removal.collection === collection && key.startsWith(removal.prefix) ? at : last;
      },
      positions.get(nameOf(collection, key)) ?? 0n,
    );
};
