import type { Position } from '#domain/shared/events.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { addedBy } from '#infra/stores/read-store/keys.js';
import { type OpenKeys, openKeysOf } from '#infra/stores/secrets/open-keys.js';
import { SealBroken } from '#infra/stores/secrets/seal.js';
import { SubjectKeyDestroyed, type SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { ERASED_VALUE } from '#projections/shared/erased.js';
import type { Projection } from '#projections/shared/projection.js';
import { type Change, type KeyRange, ReadStoreUnavailable, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import { ERASED_TEXT, markingOf, type TextMarking } from './marked-text.js';
import { ERASED_HERE, openText, ruleOf, type SealPlan, type SealRule, sealText, subjectsIn } from './sealed-text.js';

/** Maximum number of documents, and of their characters, sealed or opened in one turn of the event loop: some milliseconds. */
const MAX_SLICE_DOCUMENTS = 200;
const MAX_SLICE_CHARACTERS = 2 ** 20;

/** Divides a list into slices within these limits, one per turn of the event loop. */
const slices = <T>(list: readonly T[], lengthOf: (one: T) => number): readonly (readonly T[])[] => {
  const cut: T[][] = [];
  let characters = MAX_SLICE_CHARACTERS;
  for (const one of list) {
    const last = cut.at(-1);
    characters += lengthOf(one);
    if (last && last.length < MAX_SLICE_DOCUMENTS && characters <= MAX_SLICE_CHARACTERS) last.push(one);
    else {
      cut.push([one]);
      characters = lengthOf(one);
    }
  }
  return cut;
};

/** Treatment of a collection's documents. `rule`: present if documents have sealed members. */
type Treatment = Readonly<{ rule?: SealRule; marking: TextMarking }>;
/** By collection. */
type Treatments = ReadonlyMap<string, Treatment>;

/**
 * `erased`: for the projection that changes the documents, with {@link ERASED_VALUE} in place of erased values. `concealed`: with `[secret]` in
 * place of secrets; personal data and hashes stay. Otherwise for auditors, with `[secret]`, `[personal]` and `[erased]` in place of values, as
 * operations contract 4 defines; erased members that are not texts have a form that queries can read.
 */
type Shown = MarkVisibility | 'concealed' | 'erased';

type Treated = Pick<Projection, 'name' | 'sealed' | 'marks'>;

const treatmentsOf = ({ sealed = {}, marks = {} }: Treated): Treatments => {
  const names = [...new Set([...Object.keys(sealed), ...Object.keys(marks)])];
  return new Map(
    names.map((name): [string, Treatment] => {
      const sealing = sealed[name];
      return [name, { ...(sealing && { rule: ruleOf(sealing) }), marking: markingOf(sealing ?? [], marks[name] ?? {}) }];
    }),
  );
};

/**
 * Seals documents before any store writes them, and opens documents that were read: the members that projections declare as `sealed`, with
 * the keys of their subjects. Destroying a key makes everything sealed with it unreadable, in all copies. Collections without such members
 * are written and read unchanged.
 */
export class SealedDocuments {
  private readonly rules: ReadonlyMap<string, Treatments>;

  constructor(
    private readonly keys: SubjectKeys,
    projections: readonly Treated[],
  ) {
    this.rules = new Map(
      projections.flatMap((one): [string, Treatments][] => (one.sealed || one.marks ? [[one.name, treatmentsOf(one)]] : [])),
    );
  }

  /** Returns whether a projection has documents with sealed members. */
  concerns(projection: string): boolean {
    return [...(this.rules.get(projection)?.values() ?? [])].some(({ rule }) => rule);
  }

  /** Calls the listener whenever a key is destroyed, because documents then change. Returns a function that removes it. */
  onErased(projection: string, listener: () => void): () => void {
    return this.concerns(projection) ? this.keys.onDestroyed(listener) : () => undefined;
  }

  /**
   * Opens the documents of a view. Reads also throw EventStoreUnavailable and WrongMasterKey: the keys are in the log. Default: erased values
   * as the documents say.
   */
  opened(view: ReadView, projection: string, shown?: Shown): ReadView {
    const rules = this.rules.get(projection);
    const isMarked = shown !== undefined && shown !== 'erased';
    return rules && (isMarked || this.concerns(projection)) ? new OpeningView(view, this.keys, projection, rules, shown) : view;
  }

  /** Seals the documents of changes. @throws EventStoreUnavailable, WrongMasterKey */
  async sealed(projection: string, changes: readonly Change[]): Promise<readonly Change[]> {
    const rules = this.rules.get(projection);
    if (!rules) return changes;
    const sealed: Change[] = [];
    for (const some of slices(changes, addedBy)) {
      if (sealed.length > 0) await nextTurn();
      for (const change of some) {
        const rule = change.kind === 'put' ? rules.get(change.collection)?.rule : undefined;
        const plain =
          rule && change.kind === 'put' && typeof change.value === 'string'
            ? await this.seal(projection, rule, change, change.value)
            : change;
        sealed.push(withoutErased(plain));
      }
    }
    return sealed;
  }

  private async seal(projection: string, rule: SealRule, change: Extract<Change, { kind: 'put' }>, value: string): Promise<Change> {
    const { collection, key } = change;
    const secrets = rule(key, value);
    if (secrets.length === 0) return change;
    const plan: SealPlan = { text: value, secrets };
    return { ...change, value: sealText(plan, await this.obtain(secrets), contextOf(projection, collection, key)) };
  }

  /** Subjects of events already have keys, except those of events older than sealing. */
  private async obtain(secrets: SealPlan['secrets']): Promise<OpenKeys> {
    const found = new Map<string, Buffer | null>();
    for (const { subject, isErased } of secrets) {
      if (isErased || found.has(subject)) continue;
      const cached = this.keys.cached(subject);
      found.set(subject, cached === undefined ? await this.obtainOne(subject) : cached);
    }
    return found;
  }

  private async obtainOne(subject: string): Promise<Buffer | null> {
    try {
      return await this.keys.obtain(subject);
    } catch (error) {
      if (error instanceof SubjectKeyDestroyed) return null;
      throw error;
    }
  }
}

/** An erased value outside of sealed members becomes an empty text. */
const withoutErased = (change: Change): Change => {
  if (change.kind === 'append' && change.piece.includes(ERASED_VALUE))
    return { ...change, piece: change.piece.replaceAll(ERASED_VALUE, '') };
  if (change.kind !== 'put' || typeof change.value !== 'string' || !change.value.includes(ERASED_VALUE)) return change;
  return { ...change, value: change.value.replaceAll(ERASED_VALUE, '') };
};

const contextOf = (projection: string, collection: string, key: string): string => `${projection}\n${collection}\n${key}`;

/** JSON in place of an erased value. `undefined`: as the document says. */
const goneIn = (shown: Shown | undefined): string | undefined => {
  if (shown === 'erased') return ERASED_HERE;
  return shown === undefined || shown === 'concealed' ? undefined : ERASED_TEXT;
};

/** Reads of one projection's documents, opened. */
class OpeningView implements ReadView {
  constructor(
    private readonly view: ReadView,
    private readonly keys: SubjectKeys,
    private readonly projection: string,
    private readonly rules: Treatments,
    private readonly shown?: Shown,
  ) {}

  get asOf(): Position | undefined {
    return this.view.asOf;
  }

  async get(collection: string, key: string): Promise<Buffer | null> {
    const value = await this.view.get(collection, key);
    if (value === null || !this.rules.has(collection)) return value;
    const subjects = subjectsIn(value);
    return subjects.length === 0 && !this.shown ? value : this.open(collection, { key, value }, await openKeysOf(this.keys, subjects));
  }

  async getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    const values = await this.view.getMany(collection, keys);
    if (!this.rules.has(collection)) return values;
    const found = keys.flatMap((key, index): StoredDocument[] => (values[index] ? [{ key, value: values[index] }] : []));
    const opened = (await this.openAll(collection, found)).values();
    return values.map((value) => (value === null ? null : (opened.next().value?.value ?? null)));
  }

  /** Of texts with sealed members as they are read. */
  async lengths(collection: string, keys: readonly string[]): Promise<readonly (number | null)[]> {
    if (!this.rules.has(collection)) return this.view.lengths(collection, keys);
    return (await this.getMany(collection, keys)).map((text) => text?.length ?? null);
  }

  async range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    const found = await this.view.range(collection, range);
    return this.rules.has(collection) ? this.openAll(collection, found) : found;
  }

  async ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    const found = await this.view.ranges(collection, ranges);
    if (!this.rules.has(collection)) return found;
    const opened: (readonly StoredDocument[])[] = [];
    for (const documents of found) opened.push(await this.openAll(collection, documents));
    return opened;
  }

  count(collection: string, range: KeyRange): Promise<number> {
    return this.view.count(collection, range);
  }

  /** Opens documents, in order. */
  private async openAll(collection: string, documents: readonly StoredDocument[]): Promise<readonly StoredDocument[]> {
    const opened: StoredDocument[] = [];
    for (const some of slices(documents, ({ value }) => value.length)) {
      if (opened.length > 0) await nextTurn();
      const keys = openKeysOf(
        this.keys,
        some.flatMap(({ value }) => subjectsIn(value)),
      );
      const found = keys instanceof Promise ? await keys : keys;
      for (const document of some) opened.push({ key: document.key, value: this.open(collection, document, found) });
    }
    return opened;
  }

  private open(collection: string, { key, value }: StoredDocument, keys: OpenKeys): Buffer {
    const { shown } = this;
    try {
      const opened = openText(value, keys, contextOf(this.projection, collection, key), goneIn(shown));
      const marking = shown && shown !== 'erased' && this.rules.get(collection)?.marking;
      if (!marking) return opened;
      const text = opened.toString('utf8');
      return Buffer.from(shown === 'concealed' ? marking.concealed(text) : marking.shown(text, shown));
    } catch (cause) {
      if (!(cause instanceof SealBroken)) throw cause;
      throw new ReadStoreUnavailable(`a document of ${this.projection} was altered or moved in the store: build ${this.projection} again`, {
        cause,
      });
    }
  }
}
