import type { Answer, Call, Operation, Told } from '#test/faults/history.js';
import type { Random } from '#test/faults/random.js';
import { ask, type Request } from './http.js';

/** A node as clients reach it. */
export type Address = Readonly<{ node: string; port: number }>;

export type Task = Readonly<{ operation: Operation; request: Request; read?: (json: unknown) => Told }>;

const ATTEMPTS = 4;

/** Calls of all clients, in the order in which they began. */
export class Recorder {
  readonly calls: Call[] = [];
  private intents = 0;
  private numbers = 0;

  /** A number that nobody got before. */
  number(): number {
    return ++this.numbers;
  }

  intent(): string {
    return `intent-${++this.intents}`;
  }

  /** Asks and records; the place in the history is that of the beginning. */
  async call(client: string, { node, port }: Address, intent: string, { operation, request, read = () => ({}) }: Task): Promise<Answer> {
    const call = { id: this.calls.length, intent, client, node, operation, began: performance.now() };
    this.calls.push({ ...call, ended: Number.POSITIVE_INFINITY, answer: OPEN });
    const answer = await ask(port, request, read);
    this.calls[call.id] = { ...call, ended: performance.now(), answer };
    return answer;
  }
}

const OPEN: Answer = { outcome: 'lost', status: 0, behind: false, retryAfter: false, told: {}, text: '' };

/** One caller: mostly at one node, at another when that one does not answer. */
export class Client {
  private at: number;

  constructor(
    readonly name: string,
    readonly random: Random,
    private readonly addresses: readonly Address[],
    readonly recorder: Recorder,
  ) {
    this.at = random.between(0, addresses.length - 1);
  }

  /** One call, whatever comes of it. */
  async once(task: Task): Promise<Answer> {
    return this.attempt(this.recorder.intent(), task);
  }

  /** A POST that is repeated under its `Idempotency-Key`, at any node, until it is answered or that gets too long. */
  async keyed(task: Task): Promise<Answer> {
    const intent = this.recorder.intent();
    const headers = { ...task.request.headers, 'idempotency-key': `${this.name} ${intent}` };
    const keyedTask = { ...task, request: { ...task.request, headers } };
    for (let attempt = 1; ; attempt++) {
      const answer = await this.attempt(intent, keyedTask);
      if ((answer.outcome !== 'lost' && answer.outcome !== 'away') || attempt === ATTEMPTS) return answer;
      await pause(this.random.between(50, 600));
    }
  }

  private async attempt(intent: string, task: Task): Promise<Answer> {
    if (this.random.chance(0.1)) this.move();
    const answer = await this.recorder.call(this.name, this.addresses[this.at] as Address, intent, task);
    if (answer.outcome === 'lost' || answer.outcome === 'away') {
      this.move();
      await pause(this.random.between(20, 100));
    }
    return answer;
  }

  private move(): void {
    this.at = this.random.between(0, this.addresses.length - 1);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
