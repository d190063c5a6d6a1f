import type { HostResults } from '#api/status/metric-data/commands.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { MetricMessage } from './metric-message.js';

/** Results that share an event, as in calls with metric data. */
const MOST_RESULTS = 32;
/** Larger messages keep their own events, so that no event gets large. */
const SMALL_BYTES = 8 * 1024;

/** Points of small messages that wait for others of their host. */
class OpenGroups {
  private readonly byHost = new Map<string, MetricResult[]>();

  get hosts(): readonly string[] {
    return [...this.byHost.keys()];
  }

  /** Whether they fit into the group of their host; adds them then. */
  tryAdd({ host, results }: HostResults): boolean {
    const held = this.byHost.get(host);
    if (held && held.length + results.length > MOST_RESULTS) return false;
    if (held) held.push(...results);
    else this.byHost.set(host, [...results]);
    return true;
  }

  /** The group of a host, which is closed. */
  *close(host: string): Generator<HostResults> {
    const results = this.byHost.get(host);
    this.byHost.delete(host);
    if (results) yield { host, results };
  }
}

/**
 * The points of messages by host, in the order of the messages, as they go into events: many small messages of one host share them. The same messages
 * always give the same groups.
 */
export function* mergedResults(messages: readonly MetricMessage[]): Generator<HostResults> {
  const open = new OpenGroups();
  for (const { bytes, points } of messages) {
    for (const group of points.groups()) {
      const isSmall = bytes <= SMALL_BYTES;
      if (isSmall && open.tryAdd(group)) continue;
      yield* open.close(group.host);
      if (!isSmall) yield group;
      else open.tryAdd(group);
    }
  }
  for (const host of open.hosts) yield* open.close(host);
}
