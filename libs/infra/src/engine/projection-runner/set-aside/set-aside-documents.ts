import { randomUUID } from 'node:crypto';
import type { EventReference } from '#infra/engine/projection-runner/failure.js';
import type { Change, Namespace, ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { SetAside, type SetAsideGroup } from './set-aside.js';

/**
 * Collection beside those of the projection, in the same namespace and therefore committed with its checkpoint. The token of the namespace
 * identifies its contents, except the numbers of waiting events, which are only shown.
 */
const GROUPS = '$set-aside';
/** Id of an event that a build has left out → its position and type. */
const LEFT_OUT = '$left-out';

/** Release 1.0.0 has no `waiting`; its nodes, which may read the row, need `resuming` and `after`. */
type StoredGroup = Readonly<{
  partitions: Readonly<Record<string, string>>;
  failure: Readonly<{ position: string; eventId: string; type: string; message: string; at: string }>;
  resuming: boolean;
  after: string;
  waiting?: number;
}>;

const put = (collection: string, key: string, value: unknown): Change => ({ kind: 'put', collection, key, value: JSON.stringify(value) });
const parse = <T>({ value }: StoredDocument): T => JSON.parse(value.toString('utf8')) as T;

const stored = ({ partitions, failure, waiting }: SetAsideGroup): StoredGroup => ({
  partitions: Object.fromEntries(Array.from(partitions, ([partition, from]) => [partition, `${from}`])),
  failure: { ...failure, position: `${failure.position}` },
  resuming: false,
  after: `${failure.position - 1n}`,
  waiting,
});

const groupOf = (document: StoredDocument): SetAsideGroup => {
  const { partitions, failure, waiting } = parse<StoredGroup>(document);
  return {
    id: document.key,
    partitions: new Map(Object.entries(partitions).map(([partition, from]) => [partition, BigInt(from)])),
    failure: { ...failure, position: BigInt(failure.position) },
    ...(waiting === undefined ? { waiting: 1, isEarlier: true } : { waiting }),
  };
};

/** Returns whether the documents record anything as set aside. @throws NamespaceGone, ReadStoreUnavailable */
export const hasSetAside = async (documents: ReadView): Promise<boolean> => (await documents.range(GROUPS, { limit: 1 })).length > 0;

/** Reads the set-aside state and its token. @throws NamespaceGone, ReadStoreUnavailable */
export const readSetAside = async (
  store: Pick<ReadStore, 'progress' | 'documents'>,
  namespace: Namespace,
): Promise<Readonly<{ setAside: SetAside; token: string }>> => {
  for (let { token } = await store.progress(namespace); ; ) {
    if (token === '') return { setAside: SetAside.NONE, token };
    const setAside = new SetAside((await store.documents(namespace).range(GROUPS, {})).map(groupOf));
    const after = await store.progress(namespace);
    if (after.token === token) return { setAside, token };
    token = after.token;
  }
};

const hasChanged = (before: SetAsideGroup | undefined, after: SetAsideGroup): boolean =>
  before?.failure !== after.failure ||
  before.partitions.size !== after.partitions.size ||
  [...after.partitions].some(([partition, from]) => before.partitions.get(partition) !== from);

/** Changes from one state to the other. `isMarked`: not only numbers of waiting events change, so the token must change, too. */
export const setAsideChanges = (before: SetAside, after: SetAside): Readonly<{ changes: readonly Change[]; isMarked: boolean }> => {
  if (before === after) return { changes: [], isMarked: false };
  const gone = [...before.groups.keys()].filter((id) => !after.groups.has(id));
  const changed = [...after.groups.values()].filter((group) => group !== before.groups.get(group.id));
  const changes = [
    ...gone.map((key): Change => ({ kind: 'delete', collection: GROUPS, key })),
    ...changed.map((group) => put(GROUPS, group.id, stored(group))),
  ];
  return { changes, isMarked: gone.length > 0 || changed.some((group) => hasChanged(before.groups.get(group.id), group)) };
};

/** New token of a state: empty exactly when nothing is set aside, otherwise unique. */
export const newToken = (setAside: SetAside): string => (setAside.isEmpty ? '' : randomUUID());

/** Records events that a build has left out, until they are in the log. */
export const leftOutChanges = (events: readonly EventReference[]): readonly Change[] =>
  events.map(({ id, type, position }) => put(LEFT_OUT, id, { position: `${position}`, type }));

/** Events that a build has left out, in log order. @throws NamespaceGone, ReadStoreUnavailable */
export const readLeftOut = async (documents: ReadView): Promise<readonly EventReference[]> => {
  const found = (await documents.range(LEFT_OUT, {})).map((document) => {
    const { position, type } = parse<Readonly<{ position: string; type: string }>>(document);
    return { id: document.key, type, position: BigInt(position) };
  });
  return found.sort((one, other) => (one.position < other.position ? -1 : 1));
};
