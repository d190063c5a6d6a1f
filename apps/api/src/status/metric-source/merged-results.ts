import type { HostResults } from '#api/status/metric-data/commands.js';
import type { Cause } from '#domain/shared/causation.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { MetricMessage } from './metric-message.js';

/** Maximum number of results of one event, as in calls with metric data. */
const MOST_RESULTS = 32;
/** Larger messages get their own events, to limit the size of events. */
const SMALL_BYTES = 8 * 1024;

/** Points of one event, and the event of the first message that has some of them. */
type MergedResults = HostResults & Readonly<{ cause: Cause }>;

/** Points of small messages that wait for more of their host. */
class OpenGroups {
  private readonly byHost = new Map<string, Readonly<{ results: MetricResult[]; cause: Cause }>>();

  get hosts(): readonly string[] {
    return [...this.byHost.keys()];
  }

  /** Adds points to the group of their host. Returns whether they fit. */
  tryAdd({ host, results, cause }: MergedResults): boolean {
    const held = this.byHost.get(host);
    if (held && held.results.length + results.length > MOST_RESULTS) return false;
    if (held) held.results.push(...results);
    else this.byHost.set(host, { results: [...results], cause });
    return true;
  }

  /** Closes and yields the group of a host. */
  *close(host: string): Generator<MergedResults> {
    const held = this.byHost.get(host);
    this.byHost.delete(host);
    if (held) yield { host, ...held };
  }
}

/**
 * The points of messages grouped by host for events, in the order of the messages. Small messages of one host share events. The same
 * messages always give the same groups.
 */
export function* mergedResults(messages: readonly MetricMessage[]): Generator<MergedResults> {
  const open = new OpenGroups();
  for (const { bytes, points, cause } of messages) {
    for (const { host, results } of points.groups()) {
      const group = { host, results, cause };
      const isSmall = bytes <= SMALL_BYTES;
      if (isSmall && open.tryAdd(group)) continue;
      yield* open.close(group.host);
      if (!isSmall) yield group;
      else open.tryAdd(group);
    }
  }
  for (const host of open.hosts) yield* open.close(host);
}
