/**
 * Blocks new references to the record until `closing` ends: with the event that removes or changes the record, or with `Reopened`. Metrics recorded
 * in between are void (docs/decisions/0031).
 */
export type ClosingEvent<Kind extends string, Target> =
  | Readonly<{ type: `${Kind}Closed`; data: Target & Readonly<{ closing: string }> }>
  | Readonly<{ type: `${Kind}Reopened`; data: Target & Readonly<{ closing: string }> }>;

/** The holder of a reference to a record: a project, for its associations and installations, or a metric whose definition is changed. */
export type ReferenceHolder = Readonly<{ projectId: string }> | Readonly<{ metricId: string }>;

/** A reference to the record is about to be created in another stream. Blocks removal until `hold` is released. `heldAt`: UTC, milliseconds. */
export type HoldingEvent<Kind extends string, Target> =
  | Readonly<{ type: `${Kind}Held`; data: Target & Readonly<{ hold: string; holder: ReferenceHolder; heldAt: string }> }>
  | Readonly<{ type: `${Kind}Released`; data: Target & Readonly<{ hold: string }> }>;
