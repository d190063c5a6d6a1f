/**
 * From here on nothing may begin to refer to the record, until `closing` ends: with the event that removes or changes the record, or with `Reopened`.
 * Metrics that are recorded in between are void (docs/decisions/0031).
 */
export type ClosingEvent<Kind extends string, Target> =
  | Readonly<{ type: `${Kind}Closed`; data: Target & Readonly<{ closing: string }> }>
  | Readonly<{ type: `${Kind}Reopened`; data: Target & Readonly<{ closing: string }> }>;

/** Who may come to refer to a record: a project with its associations and installations, or a metric whose definition is changed. */
export type Holder = Readonly<{ projectId: string }> | Readonly<{ metricId: string }>;

/** Somebody is about to refer to the record, in another stream: until `hold` is released the record cannot be removed. `heldAt`: UTC, milliseconds. */
export type HoldingEvent<Kind extends string, Target> =
  | Readonly<{ type: `${Kind}Held`; data: Target & Readonly<{ hold: string; holder: Holder; heldAt: string }> }>
  | Readonly<{ type: `${Kind}Released`; data: Target & Readonly<{ hold: string }> }>;
