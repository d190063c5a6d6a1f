import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Change, type KeyRange, ReadStoreUnavailable, type ReadView } from '#projections/shared/read-store.js';
import { byBytes } from '#test/contracts/read-store/model.js';
import { ranges } from '#test/contracts/read-store/steps.js';
import { PAST, PLAIN } from '#test/support/document-store/churn.js';
import {
  COLLECTIONS,
  type Documents,
  EMPTY,
  KEYS,
  Model,
  type Projection,
  type Step,
  steps,
  textOf,
} from '#test/support/document-store/past-steps.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import type { DocumentStore } from '../document-store.js';
import { openDocumentStore } from '../open.js';

type Builds = { served: Model | undefined; building: Model | undefined; kept: readonly Model[] };

const numbered = (changes: readonly Change[], position: number): readonly Change[] =>
  changes.map((change) => ({ ...change, position: BigInt(position) }));

const plain = (documents: Awaited<ReturnType<ReadView['range']>>) => documents.map(({ key, value }) => [key, value.toString()] as const);

/** A store, a second opening that reads it, and the model of both. */
class Comparison {
  private path = '';
  private store: DocumentStore | undefined;
  private reader: DocumentStore | undefined;
  private copies = 0;
  /** Set if there is a copy of the index, as it was last written. */
  private hasIndex = false;
  private readonly builds: Readonly<Record<Projection, Builds>> = {
    [PAST]: { served: undefined, building: undefined, kept: [] },
    [PLAIN]: { served: undefined, building: undefined, kept: [] },
  };
  compactions = 0;
  /** Number of commits after which a part of the past was merged. */
  merges = 0;

  constructor(
    private readonly directory: string,
    private readonly ranges: readonly KeyRange[],
    private readonly blockBytes: number,
    private readonly mostRemoved: number,
  ) {
    this.path = join(directory, 'documents-0');
  }

  /** @param next a process that is killed at once may not have recorded its removals */
  async take(step: Step, number: number, next: Step | undefined): Promise<void> {
    await this.takeOne(step);
    if (next?.kind === 'kill') return;
    await this.compare(await this.opened(), number);
    if (step.kind !== 'flush') return;
    this.reader ??= await this.open(true);
    await this.compare(this.reader, number);
  }

  async close(): Promise<void> {
    await this.reader?.close();
    await this.store?.close();
    [this.store, this.reader] = [undefined, undefined];
  }

  private async takeOne(step: Step): Promise<void> {
    const store = await this.opened();
    switch (step.kind) {
      case 'commit':
        return this.commit(step);
      case 'begin':
        return this.begin(step.projection, step.from);
      case 'serve':
        return this.serve(step.projection);
      case 'churn':
        return this.churn();
      case 'flush':
        await store.flush();
        return this.settle();
      case 'index':
        await store.parts.indexing.run();
        this.hasIndex = true;
        return this.copy(this.path, this.snapshot, (name) => name.startsWith('index'));
      case 'close':
        await this.close();
        return this.settle();
      case 'kill':
        return this.kill();
    }
  }

  private get snapshot(): string {
    return join(this.directory, 'index');
  }

  /** Records in the model that all commits are in the files. */
  private settle(): void {
    for (const model of this.models()) model.durable = model.checkpoint;
  }

  private *models(): Generator<Model> {
    for (const { served, building, kept } of Object.values(this.builds))
      for (const model of [served, building, ...kept]) if (model) yield model;
  }

  private open(readOnly: boolean): Promise<DocumentStore> {
    const onDamage = ({ error }: Readonly<{ error: unknown }>): never => {
      throw error;
    };
    const report = (message: string): never => {
      throw new Error(message);
    };
    const mergeSizes = { segmentBytes: 512, blockBytes: this.blockBytes };
    const options = { keepsPast: (projection: string) => projection === PAST, keepsBuild: () => true, mergeSizes, onDamage, report };
    return openDocumentStore({ path: this.path, readOnly, mostRemoved: this.mostRemoved, ...options });
  }

  private async opened(): Promise<DocumentStore> {
    this.store ??= await this.open(false);
    return this.store;
  }

  private of(projection: Projection): Builds {
    return this.builds[projection];
  }

  private async commit({ projection, isBuilding, edits, soon }: Extract<Step, { kind: 'commit' }>): Promise<void> {
    const { served, building } = this.of(projection);
    const model = isBuilding ? building : served;
    if (!model) return;
    const batches = edits.map((some, index): readonly Change[] => {
      const position = model.checkpoint + 1 + index;
      const changes = some.map(({ collection, key, kind, text }): Change => {
        if (kind === 'delete-prefix') return { kind, collection, prefix: key };
        if (kind === 'append') return { kind, collection, key, piece: textOf(text, position) };
        return kind === 'put' ? { kind, collection, key, value: textOf(text, position) } : { kind, collection, key };
      });
      return [...changes, { kind: 'put', collection: 'a', key: 'last', value: `${position}` }];
    });
    await this.commitAll(model, batches, soon);
  }

  private async commitAll(model: Model, batches: readonly (readonly Change[])[], soon: boolean): Promise<void> {
    const store = await this.opened();
    const from = model.checkpoint;
    const changes = batches.flatMap((some, index) => numbered(some, from + 1 + index));
    const commit = soon ? store.commitSoon : store.commit;
    await commit.call(store, model.namespace, changes, BigInt(from), BigInt(from + batches.length));
    for (const [index, some] of batches.entries()) model.add(from + 1 + index, some);
    if (!soon) model.durable = model.checkpoint;
    this.merges += Number((store.parts.builds.of(model.namespace)?.file.mergedEnd ?? 0) > 0);
  }

  private async begin(projection: Projection, part: number): Promise<void> {
    const store = await this.opened();
    const builds = this.of(projection);
    const namespace = await store.prepare(projection, 1);
    const from = Math.floor(((builds.served?.checkpoint ?? 0) * part) / 4);
    if (from > 0) await store.setFrom(namespace, BigInt(from));
    builds.building = new Model(namespace, from);
    if (from === 0) return;
    // The first position that it can show: a killed process may or may not have written it before its documents.
    for (const text of [1, 2])
      await this.commitAll(builds.building, [[{ kind: 'put', collection: 'a', key: 'last', value: `${text}` }]], false);
  }

  private async serve(projection: Projection): Promise<void> {
    const store = await this.opened();
    const builds = this.of(projection);
    const { served, building, kept } = builds;
    if (!building) return;
    for (let missing = (served?.checkpoint ?? 0) - building.checkpoint; missing > 0; missing--)
      await this.commitAll(building, [[{ kind: 'put', collection: 'a', key: 'last', value: `${missing}` }]], true);
    await store.serve(building.namespace);
    building.durable = building.checkpoint;
    const before = [served, ...kept].filter((model) => model !== undefined);
    const isKept = ({ from, checkpoint }: Model): boolean =>
      from <= checkpoint && (from < building.from || building.checkpoint < checkpoint);
    Object.assign(builds, { served: building, building: undefined, kept: projection === PAST ? before.filter(isKept) : [] });
  }

  private async churn(): Promise<void> {
    const { served } = this.of(PLAIN);
    if (!served) return;
    const store = await this.opened();
    const before = (await store.size(PLAIN)).bytes ?? 0;
    const text = 'churn'.repeat(10_000);
    for (let count = 0; count < 30; count++)
      await this.commitAll(served, [[{ kind: 'put', collection: 'ab', key: 'c', value: `${count} ${text}` }]], count % 2 === 0);
    await this.commitAll(served, [[{ kind: 'put', collection: 'ab', key: 'c', value: 'no more' }]], false); // waits for the compaction
    const after = (await store.size(PLAIN)).bytes ?? 0;
    expect(after).toBeLessThan(2 ** 20 + 2 ** 18);
    if (after < before + 30 * text.length) this.compactions += 1;
  }

  /** Leaves the files as a process killed now does, with the index of some earlier moment. */
  private async kill(): Promise<void> {
    const { path, snapshot } = this;
    this.path = join(this.directory, `documents-${++this.copies}`);
    this.copy(path, this.path, (name) => name === 'builds' || name.endsWith('.docs'));
    if (this.hasIndex) this.copy(snapshot, this.path, () => true);
    await this.close();
    const store = await this.opened();
    for (const model of this.models()) {
      const kept = Object.values(this.builds).some(({ kept }) => kept.includes(model));
      if (kept) continue;
      const checkpoint = Number(await store.checkpoint(model.namespace));
      expect(checkpoint).toBeGreaterThanOrEqual(model.durable);
      expect(checkpoint).toBeLessThanOrEqual(model.checkpoint);
      model.loseAfter(checkpoint);
    }
  }

  private copy(from: string, to: string, isCopied: (name: string) => boolean): void {
    mkdirSync(to, { recursive: true });
    if (!existsSync(from)) return;
    for (const name of readdirSync(from))
      if (isCopied(name)) {
        rmSync(join(to, name), { recursive: true, force: true });
        cpSync(join(from, name), join(to, name), { recursive: true, filter: (one) => !/\/(open\.|lock\.mdb)/.test(one) });
      }
  }

  private async compare(store: DocumentStore, number: number): Promise<void> {
    for (const projection of [PAST, PLAIN] as const) {
      const { served, building } = this.of(projection);
      expect(await store.standing(projection)).toEqual(
        served ? { namespace: served.namespace, checkpoint: BigInt(served.checkpoint) } : null,
      );
      const size = served ? COLLECTIONS.reduce((sum, one) => sum + (served.newest[one]?.size ?? 0), 0) : 0;
      const isRecorded = store.parts.builds.served(projection)?.state.removals.length === 0;
      if (isRecorded || !served) expect((await store.size(projection)).documents).toBe(size);
      await this.compareViews(store.view(projection), served?.newest ?? EMPTY, number);
      if (building) await this.compareViews(store.documents(building.namespace), building.newest, number);
      if (served)
        for (let look = 0; look < 3; look++) await this.comparePast(store, projection, (number * 7 + look * 13) % (served.checkpoint + 2));
    }
  }

  private async comparePast(store: DocumentStore, projection: Projection, position: number): Promise<void> {
    const { served, kept } = this.of(projection);
    const view = store.past(projection, BigInt(position));
    const shows = (model: Model): boolean => model.from <= position && (model === served || position <= model.checkpoint);
    const shown = projection === PAST ? [served, ...kept].find((model) => model && shows(model)) : undefined;
    if (shown) await this.compareViews(view, shown.at(Math.min(position, shown.checkpoint)), position);
    else await expect(view.get('a', 'last')).rejects.toBeInstanceOf(ReadStoreUnavailable);
  }

  private async compareViews(view: ReadView, documents: Documents, number: number): Promise<void> {
    const { ranges } = this;
    const [one, other] = [ranges[number % ranges.length] ?? {}, ranges[(number + 1) % ranges.length] ?? {}];
    const asked = [{}, { reverse: true }, one, { ...other, reverse: true }];
    for (const [name, collection] of Object.entries(documents)) {
      const found = (await view.ranges(name, asked)).map(plain);
      expect(found).toEqual(asked.map((range) => collection.range(range)));
      expect(plain(await view.range(name, other))).toEqual(collection.range(other));
      expect(await view.count(name, one)).toBe(collection.within(one).length);
      const keys = [...KEYS, 'last', 'none'].sort(byBytes);
      const texts = (await view.getMany(name, keys)).map((text) => text?.toString() ?? null);
      expect(texts).toEqual(keys.map((key) => collection.get(key)));
      const key = keys[number % keys.length] ?? '';
      expect((await view.get(name, key))?.toString() ?? null).toBe(collection.get(key));
    }
  }
}

it('documents now and at any position are what a simple model says, with two builds, replaced ones, files written anew and killed processes', async () => {
  let [compactions, merges] = [0, 0];
  await forAny(
    runs(50, 15),
    steps,
    ranges,
    fc.constantFrom(1, 128, 1_024),
    fc.constantFrom(1, 3, 100),
    async (sequence, asked, blockBytes, most) => {
      const directory = mkdtempSync(join(tmpdir(), 'logbook-past-model-'));
      const comparison = new Comparison(directory, asked, blockBytes, most);
      try {
        for (const [number, one] of sequence.entries()) await comparison.take(one, number, sequence[number + 1]);
      } finally {
        compactions += comparison.compactions;
        merges += comparison.merges;
        await comparison.close();
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );
  expect(compactions).toBeGreaterThan(0);
  expect(merges).toBeGreaterThan(0);
}, 600_000);
