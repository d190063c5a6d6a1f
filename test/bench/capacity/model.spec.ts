import { describe, expect, it } from '@jest/globals';
import { type Costs, checkOf, dayOf, demandOf, machinesFor, SIZES, STEPS, type StepCost } from './model.js';

const cost = (micros: number, kept: Readonly<Record<string, number>>): StepCost => ({
  requests: 1,
  cpuMicros: micros,
  mainMicros: micros / 2,
  writtenBytes: 8_192,
  keptBytes: new Map(Object.entries(kept)),
  distributed: { cpuMicros: new Map([['api', micros * 2]]), redisBytes: 100, appends: 0.5 },
});

const COSTS: Costs = new Map(STEPS.map((step) => [step, cost(step === 'publish' ? 200 : 100, { log: 1_000, 'read models': 10 })]));
const NOTHING = Object.fromEntries(STEPS.map((step) => [step, 0])) as ReturnType<typeof dayOf>;

describe('capacity model', () => {
  it('has the points and messages of EGI as its largest size', () => {
    const days = SIZES.map(dayOf);
    expect(days.map((day) => day.publish)).toEqual([25_000, 500_000, 10_000_000]);
    expect(days.map((day) => day['send 100 points and read 10 statuses'] * 100)).toEqual([5_000, 100_000, 2_000_000]);
    expect(days.map((day) => day['pull and acknowledge'] * 100)).toEqual(days.map((day) => day.publish));
  });

  it('sums up what each step costs', () => {
    const { distributed, keptBytes, ...demand } = demandOf({ ...NOTHING, publish: 1_000_000, 'read a record': 500_000 }, COSTS);
    expect(demand).toEqual({ requests: 1_500_000, cpuSeconds: 250, mainSeconds: 125, writtenBytes: 1_500_000 * 8_192 });
    expect(Object.fromEntries(keptBytes)).toEqual({ log: 1_500_000_000, 'read models': 15_000_000 });
    expect(distributed).toEqual({ cpuSeconds: new Map([['api', 500]]), redisBytes: 150_000_000, appends: 750_000 });
  });

  it('keeps of points and reads what stays of each alone: at full speed all points lie in one day', () => {
    const measured: Costs = new Map([
      ['send 100 points', cost(1, { log: 20_000 })],
      ['read a status', cost(1, { results: 10 })],
      ['send 100 points and read 10 statuses', cost(50, { log: 4_000, results: 70_000 })],
    ]);
    const { cpuSeconds, keptBytes, distributed } = demandOf({ ...NOTHING, 'send 100 points and read 10 statuses': 1_000_000 }, measured);
    expect(cpuSeconds).toBe(50);
    expect(Object.fromEntries(keptBytes)).toEqual({ log: 20_000_000_000, results: 100_000_000 });
    expect(distributed.redisBytes).toBe(1_100_000_000);
  });

  it('does not guess what was not measured', () => {
    expect(() => demandOf({ ...NOTHING, publish: 1 }, new Map())).toThrow('no cost of publish');
  });

  it('has machines for the peak, and disks for a year without the messages that have expired', () => {
    const GIB = 1_073_741_824;
    const machines = machinesFor({ ...NOTHING, publish: 86_400_000, 'update a record': 1 }, COSTS);
    expect(machines).toMatchObject({ peakMain: expect.closeTo(0.5), peakCores: expect.closeTo(1), cores: 2, logs: 1 });
    expect(machines.requestsPerSecond).toBeCloseTo(5_000, 0);
    expect(machines.headroom).toBeCloseTo(1.2);
    const year = machines.yearGiB.get('log') ?? 0;
    expect(year).toBeCloseTo((86_400_000 * 1_000 * 7 + 365_000) / GIB, 6);
    expect(machines.diskGiB).toBeCloseTo(2 * year + (machines.yearGiB.get('read models') ?? 0), 6);
    expect(machines.distributed.appendsPerSecond).toBeCloseTo(2_500, 0);
  });

  it('is right when a day took as much within a quarter', () => {
    expect([74, 75, 125, 126].map((measured) => checkOf('CPU', 100, measured).holds)).toEqual([false, true, true, false]);
  });
});
