import { expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import type { KeyRange, Namespace, ReadStore, ReadView } from '#projections/shared/read-store.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import { COLLECTION, type OpenReadStore, PROJECTION, put, type ReadStoreHarness, remove, textOf } from './fixture.js';
import { type Documents, ModelBuild, type Refusal } from './model.js';
import { COLLECTIONS, ranges, type Step, steps } from './steps.js';

type Build = Readonly<{ namespace: Namespace; model: ModelBuild }>;
type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

/** What a call came to: nothing, or the members of its error that are expected. */
const outcomeOf = async (call: () => Promise<unknown>, expected: Refusal | undefined): Promise<unknown> => {
  try {
    await call();
    return undefined;
  } catch (error) {
    const members = Object.keys(expected ?? { name: '', message: '' });
    return Object.fromEntries(members.map((name) => [name, (error as Record<string, unknown>)[name]]));
  }
};

const NOTHING = new ModelBuild();

/** A store and the model of it, which take the same steps. */
class Comparison {
  private served: Build | undefined;
  private building: Build | undefined;
  private readonly gone: Build[] = [];
  private readonly keys = new Set<string>();
  /** Of the commits of this step listeners were told when they resolved; later, perhaps, of earlier ones once more. */
  private told: (readonly [Position, string])[] = [];
  private taken = 0;

  constructor(
    private readonly harness: ReadStoreHarness,
    private readonly ranges: readonly KeyRange[],
    private store: ReadStore = harness.store,
  ) {
    this.listen();
  }

  async take(step: Step): Promise<void> {
    this.taken += 1;
    this.told = [];
    const { served, shown } = this;
    await this.takeOne(step);
    const isCommitted = served === this.served && `${shown}` !== `${this.shown}`;
    if (isCommitted) expect(this.told).toContainEqual(this.shown);
  }

  /** Checkpoint and token of the served build. */
  private get shown(): readonly [Position, string] | undefined {
    return this.served && [this.served.model.checkpoint, this.served.model.token];
  }

  private async takeOne(step: Step): Promise<void> {
    switch (step.kind) {
      case 'commit':
        return this.commit(step);
      case 'prepare':
        return this.prepare(step);
      case 'serve':
        return this.serve(step);
      case 'flush':
        return this.store.flush();
      case 'reopen':
        this.store = await this.harness.reopen();
        this.listen();
    }
  }

  /** Reads everything in every way, the store and the model. */
  async compare(): Promise<void> {
    const { served, building, gone, store } = this;
    const standing = served ? { namespace: served.namespace, checkpoint: served.model.checkpoint } : null;
    expect(await store.standing(PROJECTION)).toEqual(standing);
    expect(await store.served(PROJECTION)).toEqual(standing?.namespace ?? null);
    expect((await store.size(PROJECTION)).documents).toBe(served?.model.size ?? 0);
    await this.compareReads(store.view(PROJECTION), served?.model ?? NOTHING);
    const floored = store.view(PROJECTION, () => standing?.checkpoint ?? 0n).count(COLLECTION, {});
    if (served) expect(await floored).toBe(served.model.collection(COLLECTION).size);
    else await expect(floored).rejects.toMatchObject({ name: 'ReadModelsUnavailable' });
    for (const build of [served, building]) if (build) await this.compareBuild(build);
    for (const { namespace } of gone.slice(-2)) {
      const asked = [store.progress(namespace), store.documents(namespace).get(COLLECTION, 'a')];
      for (const { status, reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
        expect([status, reason?.name]).toEqual(['rejected', 'NamespaceGone']);
    }
  }

  private async compareBuild({ namespace, model }: Build): Promise<void> {
    const { checkpoint, origin, token } = model;
    expect(await this.store.progress(namespace)).toEqual({ checkpoint, origin, token });
    const named = await this.store.collections(namespace);
    expect(named).toEqual(expect.arrayContaining(COLLECTIONS.filter((name) => model.collection(name).size > 0)));
    await this.compareReads(this.store.documents(namespace), model);
  }

  private async compareReads(view: ReadView, model: ModelBuild): Promise<void> {
    const { keys, taken } = this;
    const all = this.ranges;
    const [one, other] = [all[taken % all.length] ?? {}, all[(taken + 1) % all.length] ?? {}];
    const asked = [{}, { reverse: true }, one, other];
    for (const name of COLLECTIONS) {
      const collection = model.collection(name);
      const found = await view.ranges(name, asked);
      const plain = found.map((documents): Documents => documents.map(({ key, value }) => [key, value.toString()]));
      expect(plain).toEqual(asked.map((range) => collection.range(range)));
      expect(await view.count(name, one)).toBe(collection.within(one).length);
      const texts = [...keys].map((key) => collection.get(key));
      expect((await view.getMany(name, [...keys])).map(textOf)).toEqual(texts);
      expect(await view.lengths(name, [...keys])).toEqual(texts.map((text) => (text === null ? null : Buffer.byteLength(text))));
    }
    const [key = 'a'] = [...keys].slice(taken % Math.max(1, keys.size));
    expect(textOf(await view.get(COLLECTION, key))).toBe(model.collection(COLLECTION).get(key));
    expect((await view.range(COLLECTION, other)).map((document) => document.key)).toEqual(
      model
        .collection(COLLECTION)
        .range(other)
        .map(([found]) => found),
    );
  }

  private async commit({ build: which, soon, changes, by, isFromRight, token, origin }: StepOf<'commit'>): Promise<void> {
    const build = this.find(which);
    if (!build) return;
    const { namespace, model } = build;
    const { checkpoint } = model;
    const from = isFromRight ? checkpoint : checkpoint + 7n;
    const to = from + by < 0n ? 0n : from + by;
    const commit = (): Promise<void> =>
      soon ? this.store.commitSoon(namespace, changes, from, to, origin) : this.store.commit(namespace, changes, from, to, origin, token);
    if (await this.attempt(model.refusal(from), commit)) model.apply(changes, to, origin, soon ? undefined : token);
    for (const one of changes) if (one.kind !== 'delete-prefix') this.keys.add(one.key);
    const impossible = [put('before', 'it'), this.taken % 2 === 0 ? put('k'.repeat(1_501), '1') : remove('')];
    if (!model.isGone) await expect(this.store.commit(namespace, impossible, model.checkpoint, to)).rejects.toThrow(RangeError);
  }

  private async prepare({ version }: StepOf<'prepare'>): Promise<void> {
    const namespace = await this.store.prepare(PROJECTION, version);
    expect(namespace).toMatchObject({ projection: PROJECTION, version });
    expect(namespace.slot).not.toBe(this.served?.namespace.slot);
    const earlier = [this.served, this.building, ...this.gone].flatMap((build) => build?.namespace.generation ?? []);
    expect(namespace.generation).toBeGreaterThan(Math.max(0, ...earlier));
    this.replace(this.building);
    this.building = { namespace, model: new ModelBuild() };
  }

  private async serve({ build: which, isCaughtUp, instead }: StepOf<'serve'>): Promise<void> {
    const build = this.find(which);
    if (!build) return;
    const { namespace, model } = build;
    const { served } = this;
    if (served && build === this.building && isCaughtUp) {
      await this.store.commit(namespace, [], model.checkpoint, served.model.checkpoint);
      model.apply([], served.model.checkpoint);
    }
    const ignored = instead && this.find(instead);
    const call = () => (ignored ? this.store.serve(namespace, ignored.namespace) : this.store.serve(namespace));
    if (!(await this.attempt(this.refusalToServe(build, ignored), call)) || build === served) return;
    this.replace(served);
    [this.served, this.building] = [build, undefined];
  }

  private refusalToServe(build: Build, ignored: Build | undefined): Refusal | undefined {
    const { served } = this;
    const { isGone, checkpoint } = build.model;
    if (isGone) return { name: 'NamespaceGone' };
    if (!served || served === ignored || checkpoint >= served.model.checkpoint) return undefined;
    return { name: 'CheckpointConflict', expected: checkpoint, actual: served.model.checkpoint };
  }

  /** Whether the call succeeded, which it must if there is no refusal. */
  private async attempt(refusal: Refusal | undefined, call: () => Promise<unknown>): Promise<boolean> {
    expect(await outcomeOf(call, refusal)).toEqual(refusal);
    return refusal === undefined;
  }

  private replace(build: Build | undefined): void {
    if (!build) return;
    build.model.isGone = true;
    this.gone.push(build);
  }

  private find(which: 'served' | 'building' | 'gone'): Build | undefined {
    return which === 'gone' ? this.gone.at(-1) : this[which];
  }

  private listen(): void {
    this.store.onCommit(PROJECTION, (...told) => this.told.push(told));
  }
}

export const sequencesContract = (open: OpenReadStore): void => {
  it('agrees with a simple model after every step of random sequences, with two builds side by side', async () => {
    await forAny(runs(30, 6), steps, ranges, async (sequence, asked) => {
      const harness = await open();
      try {
        const comparison = new Comparison(harness, asked);
        for (const step of sequence) {
          await comparison.take(step);
          await comparison.compare();
        }
      } finally {
        await harness.dispose();
      }
    });
  });
};
