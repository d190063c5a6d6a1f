import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';

/** Read models of a process that are held back: nobody may read them, and they show nothing new, as while they are filled. */
export type HeldBack = Readonly<{
  hold(): void;
  /** They are shown again, with everything that was applied meanwhile. */
  letGo(): void;
}>;

const nothing = (): void => undefined;

/** Members of an instance hide those of its class. */
const replace = (instance: object, replaced: Readonly<Record<string, unknown>>): void => void Object.assign(instance, replaced);
const restore = (instance: object, ...names: readonly string[]): void => {
  for (const name of names) Reflect.deleteProperty(instance, name);
};

export const heldBack = (readModels: ReadModels, names: readonly string[]): HeldBack => {
  const all = names.flatMap((name) => {
    const [reading, gate] = [readModels.readGate(name), readModels.partitionsOf(name)?.gate];
    return reading && gate ? [{ reading, gate, reached: { position: 0n, now: 0 } }] : [];
  });
  return {
    hold: () => {
      for (const { reading, gate, reached } of all) {
        reading.close('it is held back');
        gate.close();
        replace(reading, { open: nothing });
        replace(gate, { open: nothing, advance: (position: bigint, now: number) => Object.assign(reached, { position, now }) });
      }
    },
    letGo: () => {
      for (const { reading, gate, reached } of all) {
        restore(reading, 'open');
        restore(gate, 'open', 'advance');
        gate.open();
        gate.advance(reached.position, reached.now);
        reading.open();
      }
    },
  };
};
