import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { NaiveDay } from '#test/support/results/naive.js';
import { compute } from '#test/support/results/plans.js';
import { nows, plans, pointLists } from '#test/support/results/random-days.js';
import { runs, SEED } from '#test/support/test-runs.js';
import { atSecond } from './compute-group.js';
import { DAY_SECONDS } from './timeline.js';

/** A failure shows the minimal failing day. `LOGBOOK_TEST_SEED` repeats it. */
const property = (check: (plan: Plan, points: Points, now: number) => void) => forAny(runs(200), plans, pointLists, nows, check);

type Plan = typeof plans extends fc.Arbitrary<infer P> ? P : never;
type Points = typeof pointLists extends fc.Arbitrary<infer P> ? P : never;

it(`results equal a literal implementation of the contract on any day (seed ${SEED})`, () =>
  property((plan, points, now) => {
    const { groups, supergroups, metrics } = compute(plan, points, now);
    expect({ groups, supergroups, metrics }).toEqual(new NaiveDay(plan, points, now).results());
  }));

it(`nothing but the figures changes until the reported second (seed ${SEED})`, () =>
  property((plan, points, now) => {
    const { group, nextChangeAt = DAY_SECONDS } = compute(plan, points, now);
    if (now >= DAY_SECONDS) return;
    expect(atSecond(plan, group, nextChangeAt - 1).services[0]!.endpoints[0]).toEqual(
      compute(plan, points, nextChangeAt - 1).group.services[0]!.endpoints[0],
    );
  }));
