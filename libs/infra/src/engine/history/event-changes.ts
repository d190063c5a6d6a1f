import type { RecordedEvent } from '#domain/shared/events.js';
import type { EventFailed } from '#infra/engine/projection-runner/failure.js';
import type { FailurePolicy } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { DocumentChange, DocumentCodec, Projection } from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';

/** A change with the position of its event. */
export type ChangeAt = Readonly<{ position: number; change: Change }>;

const json: DocumentCodec = { encode: (document) => JSON.stringify(document), decode: (text) => JSON.parse(text) };

/** Enough changes for one step: the event is left for the next one. */
class StepFull extends Error {}

/** Characters of documents in a step. An event that changes more has a step of its own. */
export const MOST_CHARACTERS = 8 * 2 ** 20;

/** Notes what each event of a step does to the documents, while a working set applies them. */
export class EventChanges {
  /** The projection as the working set is to apply it. */
  readonly projection: Projection;
  private readonly noted = new Map<bigint, readonly Change[]>();
  private length = 0;

  constructor(projection: Projection) {
    this.projection = { ...projection, apply: (event, read) => this.note(event.position, projection.apply(event, read)) };
  }

  /** `policy`, but an event for which there is no room is not its failure. */
  policyOver(policy: FailurePolicy): FailurePolicy {
    const setAside = (event: RecordedEvent, failure: EventFailed): boolean => {
      this.length -= this.lengthOf(this.noted.get(event.position) ?? []);
      this.noted.delete(event.position);
      return failure.cause instanceof StepFull ? false : policy.setAside(event, failure);
    };
    return {
      get idle() {
        return policy.idle;
      },
      skips: (event) => policy.skips(event),
      wouldSkip: (event) => policy.wouldSkip(event),
      setAside,
    };
  }

  /** Whether a step ended because there were enough changes, and not with a failure. */
  isFull(failure: EventFailed | null): boolean {
    return failure?.cause instanceof StepFull;
  }

  /** Length of the documents. */
  get characters(): number {
    return this.length;
  }

  /** In log order; of one event first the removals of prefixes, then each key once. */
  get all(): readonly ChangeAt[] {
    return [...this.noted].flatMap(([position, changes]) => finalOf(changes).map((change) => ({ position: Number(position), change })));
  }

  private note(position: bigint, changes: readonly DocumentChange[]): readonly DocumentChange[] {
    if (this.length > MOST_CHARACTERS) throw new StepFull();
    const encoded = changes.map((change) => this.encoded(change));
    this.noted.set(position, encoded);
    this.length += this.lengthOf(encoded);
    return changes;
  }

  private encoded(change: DocumentChange): Change {
    if (change.kind !== 'put') return change;
    const { collection, value } = change;
    if (value === undefined) throw new Error(`${collection}/${change.key} is put without a value`);
    return { ...change, value: (this.projection.codecs?.[collection] ?? json).encode(value) };
  }

  private lengthOf(changes: readonly Change[]): number {
    return changes.reduce((sum, change) => sum + (change.kind === 'put' ? change.value.length : 0), 0);
  }
}

const finalOf = (changes: readonly Change[]): readonly Change[] => {
  if (changes.length < 2) return changes;
  const removals: Change[] = [];
  const last = new Map<string, Exclude<Change, { kind: 'delete-prefix' }>>();
  for (const change of changes) {
    if (change.kind !== 'delete-prefix') {
      last.set(`${change.collection}\0${change.key}`, change);
      continue;
    }
    removals.push(change);
    const prefix = `${change.collection}\0${change.prefix}`;
    for (const name of last.keys()) if (name.startsWith(prefix)) last.delete(name);
  }
  return [...removals, ...last.values()];
};
