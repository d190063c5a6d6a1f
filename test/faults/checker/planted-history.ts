import type { Answer, Call, Delivered, FinalState, Operation } from '#test/faults/history.js';

/** A history written by hand, for specs of the checker: each call begins where the one before ended, unless it is told another time. */

type Particulars = Readonly<
  Partial<Omit<Answer, 'position'>> & {
    client?: string;
    node?: string;
    intent?: string;
    began?: number;
    ended?: number;
    /** Where in the log. */
    at?: number;
  }
>;

const DONE: Answer = { outcome: 'done', status: 200, behind: false, retryAfter: false, told: {}, text: '' };
const STATUSES: Readonly<Record<Answer['outcome'], number>> = { done: 200, absent: 404, refused: 409, away: 503, lost: 0 };

/** A call, once its place in a history is known. */
export type Step = (id: number) => Call;

export const planted = (steps: readonly Step[]): readonly Call[] => steps.map((step, id) => step(id));

export const call =
  (operation: Operation, particulars: Particulars = {}): Step =>
  (id) => {
    const { client = 'c', node = 'n', intent = `intent-${id}`, began = id * 10, ended = id * 10 + 5, at, ...answer } = particulars;
    const status = STATUSES[answer.outcome ?? 'done'];
    const position = at === undefined ? {} : { position: BigInt(at) };
    return { id, intent, client, node, began, ended, operation, answer: { ...DONE, status, retryAfter: true, ...position, ...answer } };
  };

export const create = (record: string, particulars: Particulars & Readonly<{ name?: string; refersTo?: readonly string[] }> = {}): Step => {
  const { name = record, refersTo = [], ...rest } = particulars;
  const operation: Operation = { kind: 'create', scope: 's', name, refersTo };
  return call(operation, { told: rest.outcome === undefined || rest.outcome === 'done' ? { record } : {}, ...rest });
};

export const remove = (record: string, particulars?: Particulars): Step => call({ kind: 'remove', record }, particulars);

export const look = (record: string, particulars?: Particulars): Step => call({ kind: 'look', record }, particulars);

/** Of records that bear their own name. */
export const list = (names: readonly string[], particulars?: Particulars): Step =>
  call({ kind: 'list', scope: 's' }, { told: { entries: names.map((name) => ({ record: name, name })) }, ...particulars });

export const set = (value: string, particulars?: Particulars): Step =>
  call({ kind: 'set', register: 'r', value, record: 'x' }, particulars);

export const get = (value: string | null, particulars?: Particulars): Step =>
  call({ kind: 'get', register: 'r', record: 'x' }, { told: { value }, ...particulars });

export const publish = (texts: readonly string[], offsets: readonly number[], particulars?: Particulars): Step =>
  call({ kind: 'publish', topic: 't', texts }, { told: offsets.length > 0 ? { offsets } : {}, ...particulars });

export const submit = (sent: readonly string[], particulars?: Particulars): Step => call({ kind: 'submit', points: sent }, particulars);

export const points = (...shown: readonly string[]): Step => call({ kind: 'points' }, { told: { points: shown } });

export const pull = (delivered: readonly Delivered[], particulars?: Particulars): Step =>
  call({ kind: 'pull', subscription: 'sub', topic: 't', atMost: 10 }, { told: { messages: delivered }, ...particulars });

export const acknowledge = (offset: number, particulars?: Particulars): Step =>
  call({ kind: 'acknowledge', subscription: 'sub', offset }, particulars);

export const offsets = (max: number, current: number, particulars?: Particulars): Step =>
  call({ kind: 'offsets', subscription: 'sub', topic: 't' }, { told: { max, current }, ...particulars });

export const messages = (from: number, ...texts: readonly string[]): readonly Delivered[] =>
  texts.map((text, index) => ({ offset: from + index, text }));

/** An end in which one node shows these things, and all is well. */
export const ending = (shown: readonly Step[] = [], rest: Partial<FinalState> = {}): FinalState => ({
  calls: planted(shown).map((one) => ({ ...one, began: 10_000, ended: 10_001, client: 'observer' })),
  topics: {},
  past: [],
  verifications: [],
  chain: { intact: true, detail: '' },
  ended: [],
  stuck: [],
  ...rest,
});
