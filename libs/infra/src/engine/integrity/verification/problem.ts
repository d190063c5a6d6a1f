/** Problem of a log: operations contract 3. */
type ProblemKind = 'altered' | 'missing' | 'inserted' | 'reordered' | 'unreadable' | 'signature' | 'anchor';

/**
 * `index`: of the first leaf that it is about; the size of the chain for what stands behind it. `position`: of what is found there in this log; `null`:
 * nothing is, or nobody knows. `detail` has no data of events.
 */
export type ChainProblem = Readonly<{ index: number; position: string | null; kind: ProblemKind; detail: string }>;
