import type { Scenario } from '#test/bench/scenario.js';
import { accountingUsage } from './accounting-usage.js';
import { messagingTraffic } from './messaging-traffic.js';
import { openConsoles } from './open-consoles.js';
import { pastScenarios } from './past.js';
import { statusCommands } from './status-commands.js';
import { statusGrowth } from './status-growth.js';
import { statusReads } from './status-reads.js';
import { statusRebuild } from './status-rebuild.js';
import { statusResults } from './status-results.js';

/** In the order of design.md section 9. */
export const scenarios: readonly Scenario[] = [
  ...statusReads,
  ...statusCommands,
  ...messagingTraffic,
  ...accountingUsage,
  ...statusRebuild,
  ...statusGrowth,
  ...statusResults,
  ...pastScenarios,
  ...openConsoles,
];
