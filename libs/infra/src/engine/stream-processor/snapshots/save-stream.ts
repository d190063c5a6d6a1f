import type { StateSnapshots } from '#domain/shared/decider.js';
import type { UnsavedKeys } from '#infra/engine/stream-processor/stream-keys.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { Change } from '#projections/shared/read-store.js';
import type { KeyDocuments, StoredKeys } from './key-documents.js';
import type { SnapshotDocuments, SnapshotPlace } from './snapshot-documents.js';
import { textOf } from './state-text.js';

/** A state of a stream as text, with the subjects whose sealed data it contains. */
export type CapturedState = Readonly<{ place: SnapshotPlace; text: string; subjects: readonly string[] }>;

/** A stream folded in memory, as seen by the code that stores snapshots of it. */
export interface SavedStream {
  readonly stream: string;
  /** `undefined`: only idempotency keys of this stream are stored. */
  readonly rule: StateSnapshots<unknown> | undefined;
  /** True if enough was folded since the last snapshot for a new one. */
  readonly isDue: boolean;
  /** The current state; `undefined` if that would take long, or there is nothing to store. */
  capture(): CapturedState | undefined;
  /** The same stream read from the log; nothing else changes this copy. */
  copy(): Promise<Readonly<{ state: unknown; place: SnapshotPlace | undefined }>>;
  /** All keys up to `place`, or all if that is `undefined`; `kept` must be called when they are written. */
  unsavedKeys(now: number): Promise<UnsavedKeys & Readonly<{ place: SnapshotPlace | undefined; kept(stored: StoredKeys): void }>>;
  /** Records that it is stored up to `place`. `characters`: length of the text of its state. */
  saved(place: SnapshotPlace, characters: number | undefined): void;
}

type SaveDependencies = Readonly<{
  states: SnapshotDocuments;
  keyed: KeyDocuments;
  keys: Pick<SubjectKeys, 'isBuried' | 'noteDestroyed'>;
  /** Subjects that need not be looked up again. */
  known: Set<string>;
  now: () => number;
}>;

/** `done`: must be called when the changes are written. */
type Saved = Readonly<{ changes: readonly Change[]; done(): void }>;

/** Number of keys looked up in the log at a time. */
const AT_A_TIME = 50;

/** Changes that store the current state of the stream. */
export const saveStream = async (
  stream: SavedStream,
  captured: CapturedState | undefined,
  dependencies: SaveDependencies,
): Promise<Saved> => {
  const { states, keyed, now } = dependencies;
  const { rule } = stream;
  const state = rule && (await currentState(stream, rule, captured, dependencies));
  const ofState = rule && state ? await states.changes({ stream: stream.stream, rule }, state.place, state.text, state.subjects) : [];
  const { stored, uses, place, kept: keysKept } = await stream.unsavedKeys(now());
  const keys = place && (await keyed.changes(stream.stream, stored, place, uses, now()));
  return {
    changes: [...ofState, ...(keys?.changes ?? [])],
    done: () => {
      if (keys) keysKept(keys.after);
      const kept = rule ? state?.place : place;
      if (kept) stream.saved(kept, state?.text.length);
    },
  };
};

/** A state without data of erased subjects. A captured one may contain some, because events were read before the erasure. */
const currentState = async (
  stream: SavedStream,
  rule: StateSnapshots<unknown>,
  captured: CapturedState | undefined,
  dependencies: SaveDependencies,
): Promise<CapturedState | undefined> => {
  if (captured && !(await someErased(captured.subjects, dependencies))) return captured;
  const { state, place } = await stream.copy();
  if (!place) return undefined;
  const subjects = [...(rule.subjects?.(state) ?? [])];
  if (await someErased(subjects, dependencies)) return undefined; // just erased: the next snapshot is without their data
  return { place, subjects, text: await textOf(rule.save ? rule.save(state) : state) };
};

/** Returns whether the log shows that some subjects are erased, and records that in this process. */
const someErased = async (all: readonly string[], { keys, known }: SaveDependencies): Promise<boolean> => {
  const subjects = all.filter((subject) => !known.has(subject));
  let found = false;
  for (let start = 0; start < subjects.length; start += AT_A_TIME) {
    const look = async (subject: string): Promise<void> => {
      if (!(await keys.isBuried(subject))) return void known.add(subject);
      keys.noteDestroyed(subject);
      found = true;
    };
    await Promise.all(subjects.slice(start, start + AT_A_TIME).map(look));
  }
  return found;
};
