import { hash, hkdfSync } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { StateSnapshots } from '#domain/shared/decider.js';
import type { Position, Revision } from '#domain/shared/events.js';
import { KEY_BYTES, seal, unseal } from '#infra/stores/secrets/seal.js';
import type { Change, ReadStore } from '#projections/shared/read-store.js';
import { stateOf } from './state-text.js';

/** Snapshots are stored like a read model without a projection. */
export const SNAPSHOTS = 'ops.snapshots';
/** Id → head, then parts of the sealed text. */
const STATES = 'states';
/** Id → subjects whose sealed data the state contains; absent if there are none. */
const SUBJECTS = 'subjects';
const FORMAT = 1;
/** Characters of one document. */
const PART = 262_144;
const LEVEL = 1;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** The event up to which data of a stream are stored. `id` proves that the log is the one from which they come. */
export type SnapshotPlace = Readonly<{ revision: Revision; position: Position; id: string }>;

/** A stream and the decider that folded it. */
export type Folding = Readonly<{ stream: string; rule: Pick<StateSnapshots<unknown>, 'name' | 'version'> }>;

/** `saved`: a copy of what the decider's `save` returned. */
export type FoundState = Readonly<{ place: SnapshotPlace; saved: unknown }>;

type Head = Readonly<{ format: number; stream: string; decider: string; version: number }> &
  Readonly<{ revision: string; position: string; id: string }>;

/** Document names have a fixed length, whatever the stream's name. */
export const documentId = (...parts: readonly string[]): string => hash('sha256', parts.join('\n'), 'base64url').slice(0, 22);

/** Documents of one id: `/` is followed by `0`. */
export const rangeOf = (id: string): Readonly<{ gte: string; lt: string }> => ({ gte: `${id}/`, lt: `${id}0` });

const idOf = ({ stream, rule }: Folding): string => documentId(stream, rule.name);

/**
 * Folded states as documents. They contain unsealed data that the log seals, so each is sealed as a whole under a key derived from the
 * master key, bound to its head: an altered, exchanged or incomplete one does not open.
 */
export class SnapshotDocuments {
  private readonly key: Buffer;

  constructor(
    private readonly store: ReadStore,
    masterKey: Buffer,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', masterKey, '', 'logbook snapshots', KEY_BYTES));
  }

  /** `undefined` if there is no intact one of this version. @throws ReadStoreUnavailable */
  async find(folding: Folding): Promise<FoundState | undefined> {
    const [first, ...parts] = await this.store.view(SNAPSHOTS).range(STATES, rangeOf(idOf(folding)));
    if (!first) return undefined;
    try {
      const text = first.value.toString();
      const head = JSON.parse(text) as Head;
      const { stream, rule } = folding;
      if (head.format !== FORMAT || head.stream !== stream || head.decider !== rule.name || head.version !== rule.version) return undefined;
      const packed = unseal(this.key, parts.map(({ value }) => value.toString('latin1')).join(''), text);
      const saved = await stateOf((await inflate(packed)).toString());
      return { saved, place: { revision: BigInt(head.revision), position: BigInt(head.position), id: head.id } };
    } catch {
      return undefined; // damaged, or sealed with another master key: the log has everything
    }
  }

  /** Changes that replace the stored state. @param text of the state, see `linesOf` */
  async changes(folding: Folding, place: SnapshotPlace, text: string, subjects: readonly string[]): Promise<readonly Change[]> {
    const { stream, rule } = folding;
    const id = idOf(folding);
    const head: Head = {
      format: FORMAT,
      stream,
      decider: rule.name,
      version: rule.version,
      revision: `${place.revision}`,
      position: `${place.position}`,
      id: place.id,
    };
    const headText = JSON.stringify(head);
    const sealed = seal(this.key, await deflate(text, { level: LEVEL }), headText);
    const put = (collection: string, key: string, value: string): Change => ({ kind: 'put', collection, key, value });
    const parts = Array.from({ length: Math.ceil(sealed.length / PART) }, (_, part) => sealed.slice(part * PART, (part + 1) * PART));
    return [
      ...this.removal(id),
      put(STATES, `${id}/`, headText),
      ...parts.map((part, index) => put(STATES, `${id}/${String(index).padStart(6, '0')}`, part)),
      ...(subjects.length > 0 ? [put(SUBJECTS, id, JSON.stringify([...subjects]))] : []),
    ];
  }

  /** Changes that remove the states with data of one of the subjects. @throws ReadStoreUnavailable */
  async removalOf(subjects: ReadonlySet<string>): Promise<readonly Change[]> {
    const all = await this.store.view(SNAPSHOTS).range(SUBJECTS, {});
    const holds = (value: Buffer): boolean => (JSON.parse(value.toString()) as readonly string[]).some((subject) => subjects.has(subject));
    return all.filter(({ value }) => holds(value)).flatMap(({ key }) => this.removal(key));
  }

  private removal(id: string): readonly Change[] {
    return [
      { kind: 'delete-prefix', collection: STATES, prefix: `${id}/` },
      { kind: 'delete', collection: SUBJECTS, key: id },
    ];
  }
}
