/** Kind of problem of a log (operations contract 3). */
type ProblemKind = 'altered' | 'missing' | 'inserted' | 'reordered' | 'unreadable' | 'signature' | 'anchor';

/**
 * `index`: first leaf concerned, or the size of the chain for problems after its end. `position`: of the record found there in this log;
 * `null` if there is none or it is unknown. `detail` contains no event data.
 */
export type ChainProblem = Readonly<{ index: number; position: string | null; kind: ProblemKind; detail: string }>;
