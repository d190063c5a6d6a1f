import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { PlannedRecomputation } from './plan.js';
import { EXCLUDED, type Segment } from './timeline.js';

/** Levels of status changes, the deepest first. */
const MEMBERS = ['metric', 'hostname', 'service', 'group'] as const;
type OverrideLevel = (typeof MEMBERS)[number];
/** A position in the results, or the members that a position must have. */
type OverridePlace = Readonly<Partial<Record<OverrideLevel, string>>>;

/** `members`: their number. `order`: among overrides with equally many members, the later one takes precedence. */
type Override = Readonly<{ members: number; order: number; segment: Segment }>;

const byMembers = (one: Override, other: Override): number => one.members - other.members || one.order - other.order;

const keyOf = (members: readonly OverrideLevel[], place: OverridePlace): string => JSON.stringify(members.map((member) => place[member]));

/** The overrides that name the same members, by the values of these. */
type Named = Readonly<{ members: readonly OverrideLevel[]; byValues: Map<string, Override[]> }>;

/** Status changes by the recomputations of a day (results contract 7), except `exclude`. */
export class Overrides {
  /** By level, then by the members that they name: at most 15 sets of members. */
  private readonly byLevel = new Map<OverrideLevel, Map<string, Named>>();
  private count = 0;

  constructor(recomputations: readonly PlannedRecomputation[], { available_states, defaults }: OperationsProfile) {
    const states = new Set([...available_states, EXCLUDED]);
    for (const { window, exclude_metrics, applied_status_changes } of recomputations) {
      if (window.from >= window.to) continue;
      for (const element of exclude_metrics) this.add(element, { ...window, status: EXCLUDED }, 'metric');
      for (const element of applied_status_changes) {
        const status = element.state !== undefined && states.has(element.state) ? element.state : defaults.unknown;
        this.add(element, { ...window, status });
      }
    }
  }

  /** Segments for a position. Those with higher precedence are later in the list. */
  at(level: OverrideLevel, place: OverridePlace): readonly Segment[] {
    const named = [...(this.byLevel.get(level)?.values() ?? [])];
    return named
      .flatMap(({ members, byValues }) => byValues.get(keyOf(members, place)) ?? [])
      .sort(byMembers)
      .map(({ segment }) => segment);
  }

  private add(element: OverridePlace, segment: Segment, exclusion?: 'metric'): void {
    const members = MEMBERS.filter((member) => element[member]);
    const level = exclusion ?? members[0];
    if (level === undefined || members.length === 0) return;
    const ofLevel = getOrInsert(this.byLevel, level, () => new Map<string, Named>());
    const { byValues } = getOrInsert(ofLevel, members.join(), () => ({ members, byValues: new Map() }));
    const overrides = getOrInsert(byValues, keyOf(members, element), () => []);
    // Covered by the new one, as all elements of a recomputation have the same window.
    const last = overrides.at(-1)?.segment;
    if (last?.from === segment.from && last.to === segment.to) overrides.pop();
    overrides.push({ members: members.length, order: this.count++, segment });
  }
}
