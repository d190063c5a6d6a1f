/** What a main thread does for a request and after it, in the order of a command, and what each stage holds. */
export const STAGE_NOTES = {
  HTTP: 'sockets and streams of Node, Fastify, Nest, routing, headers',
  access: "who calls, and whether they may: keys, roles, the services' policies",
  'body in': 'body, path and query: bytes, JSON, shapes',
  decide: 'commands, deciders, streams folded and kept',
  codec: 'events as JSON and back, upcasters, secrets sealed and opened',
  append: 'the embedded log: blocks, checksums, transactions of appends',
  'log read': 'events read for read models',
  project: 'projections and their runner',
  commit: 'documents into the read store',
  past: 'chain, history and audit index, as far as the main thread works for them',
  answer: 'controllers, queries, answers as JSON',
  LMDB: "LMDB's own queue of transactions",
  GC: 'garbage collection on the main thread',
  native: 'system calls and other native code outside of any function',
  other: 'promises, timers, telemetry, and what no rule of `test/bench/profile/stage-rules.ts` names',
} as const;

export type Stage = keyof typeof STAGE_NOTES;

export const STAGES = Object.keys(STAGE_NOTES) as readonly Stage[];

/** Code whose path matches belongs to the stage. `servesCallers`: unless a caller of it belongs to one of these, whose work it is then. */
export type StageRule = Readonly<{ path: RegExp; stage: Stage; servesCallers?: readonly Stage[] }>;

/** Stages that read documents and events for an answer, or to decide. */
const READERS: readonly Stage[] = ['access', 'decide', 'answer'];

/**
 * The first that matches counts. Code that none matches (shared helpers, timers, LMDB itself) works for whoever called it. Paths as {@link Sources} gives
 * them; a folder that moves must move here, too.
 */
export const STAGE_RULES: readonly StageRule[] = [
  { path: /^node:(_http|net|stream|internal\/(streams|stream_base|http|js_stream))/, stage: 'HTTP' },
  { path: /^node_modules\/(fastify|find-my-way|avvio|@fastify|@nestjs|rxjs)\//, stage: 'HTTP' },
  {
    path: /^apps\/api\/src\/(.*\/)?(access|roles|caller|credentials|granted-permissions|permissions|past-policy)\.ts$/,
    stage: 'access',
  },
  { path: /^apps\/api\/src\/(.*\/)?(service-)?http-policy\.ts$/, stage: 'access' },
  { path: /^apps\/api\/src\/(operations\/access-keys\/|shared\/http\/cached-access-keys)/, stage: 'access' },
  { path: /^libs\/infra\/src\/edges\/oidc\//, stage: 'access' },
  {
    path: /^libs\/projections\/src\/(accounting\/access|operations\/access-keys|messaging\/accounts)\/queries\.ts$/,
    stage: 'access',
  },
  { path: /^apps\/api\/src\/shared\/(bodies|json)\//, stage: 'body in' },
  { path: /^apps\/api\/src\/(.*\/)?parameters\.ts$/, stage: 'body in' },
  { path: /^apps\/api\/src\/shared\/http\//, stage: 'HTTP' },
  { path: /^apps\/api\/src\/(.*\/)?([a-z-]+-)?commands?(\.ts$|\/)/, stage: 'decide' },
  { path: /^apps\/api\//, stage: 'answer' },
  { path: /^libs\/projections\/src\/(.*\/)?([a-z-]+-)?queries\.ts$/, stage: 'answer' },
  { path: /^libs\/infra\/src\/stores\/(event-codec|secrets|read-store\/sealed)\//, stage: 'codec' },
  { path: /^libs\/infra\/src\/stores\/event-store\/(.*\/)?(reads|catch-up|subscription)/, stage: 'log read', servesCallers: READERS },
  { path: /^libs\/infra\/src\/stores\/event-store\//, stage: 'append' },
  { path: /^libs\/infra\/src\/engine\/(history|integrity|audit-index|followers)\//, stage: 'past' },
  { path: /^libs\/infra\/src\/stores\/(read-store|document-store)\//, stage: 'commit', servesCallers: READERS },
  { path: /^libs\/infra\/src\/(engine\/(projection-runner|results)|stores\/log-identity)\//, stage: 'project', servesCallers: READERS },
  { path: /^libs\/projections\//, stage: 'project', servesCallers: READERS },
  { path: /^libs\/infra\/src\/engine\/stream-processor\//, stage: 'decide' },
  { path: /^libs\/domain\/src\/shared\//, stage: 'decide', servesCallers: STAGES },
  { path: /^(libs\/infra\/src\/platform|node_modules)\/lmdb\//, stage: 'LMDB', servesCallers: STAGES },
  { path: /^libs\/domain\//, stage: 'decide', servesCallers: ['project', ...READERS] },
];

/** What the measurement itself costs. */
export const MEASURING = /^node:inspector|^node:internal\/inspector|(^|\/)test\/bench\//;
