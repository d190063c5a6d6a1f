import type { Scenario } from '#test/bench/scenario.js';
import { accountingUsage } from './accounting-usage.js';
import { acknowledgements, messagingTraffic } from './messaging-traffic.js';
import { mixed } from './mixed.js';
import { statusCreations } from './status-creations.js';
import { statusReads } from './status-reads.js';

const known: readonly Scenario[] = [...statusCreations, ...messagingTraffic, ...acknowledgements, ...accountingUsage, ...statusReads];

const named = (name: string): Scenario => {
  const found = known.find((scenario) => scenario.name === `embedded: ${name}`);
  if (!found) throw new Error(`there is no scenario ${name}`);
  return found;
};

/** What the profile measures: each operation in a scenario whose sides are HTTP servers. */
export const profiled: readonly Scenario[] = [
  ...statusCreations,
  ...['publish 1 x 1 KiB, 64 topics', 'publish 1 x 1 KiB, one topic', 'publish 100 x 1 KiB, 64 topics'].map(named),
  ...acknowledgements,
  ...['command, metrics of 64 installations', 'read one', 'list 10', 'date-versioned read'].map(named),
  mixed,
];
