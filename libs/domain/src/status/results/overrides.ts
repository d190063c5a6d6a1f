import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { PlannedRecomputation } from './plan.js';
import { EXCLUDED, type Segment } from './timeline.js';

/** Levels of status changes, the deepest first. */
const MEMBERS = ['metric', 'hostname', 'service', 'group'] as const;
type OverrideLevel = (typeof MEMBERS)[number];
/** A position in the results, or the members that a position must have. */
type OverridePlace = Readonly<Partial<Record<OverrideLevel, string>>>;

/** `order`: among overrides with equally many members, the later one takes precedence. */
type Override = Readonly<{ members: readonly (readonly [OverrideLevel, string])[]; order: number; segment: Segment }>;

const isAt = (place: OverridePlace, { members }: Override): boolean => members.every(([member, name]) => place[member] === name);

const byMembers = (one: Override, other: Override): number => one.members.length - other.members.length || one.order - other.order;

/** Status changes by the recomputations of a day (results contract 7), except `exclude`. */
export class Overrides {
  /** Overrides by level and the name at that level, so that few candidates have to be checked. `''`: the override does not name it. */
  private readonly byName = new Map<string, Override[]>();
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
    if (this.count === 0) return [];
    const candidates = [place[level] ?? '', ''].flatMap((name) => this.byName.get(JSON.stringify([level, name])) ?? []);
    return candidates
      .filter((override) => isAt(place, override))
      .sort(byMembers)
      .map(({ segment }) => segment);
  }

  private add(element: OverridePlace, segment: Segment, exclusion?: 'metric'): void {
    const members = MEMBERS.flatMap((member) => (element[member] ? [[member, element[member]] as const] : []));
    const level = exclusion ?? members[0]?.[0];
    if (level === undefined || members.length === 0) return;
    const key = JSON.stringify([level, element[level] ?? '']);
    const overrides = this.byName.get(key) ?? [];
    overrides.push({ members, order: this.count++, segment });
    this.byName.set(key, overrides);
  }
}
