import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Problem } from '#api/ops-kit/problem.js';
import { Answer } from '#api/shared/http/answer.js';
import { acceptedType } from '#api/shared/http/headers/accepted-type.js';

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

/** A client that takes nothing for so long has gone away; what is made for it is small, but it would hold up a shutdown. */
const IDLE_MS = 120_000;

/** Whether the caller wants lines instead of a page. @throws Problem 406 */
export const wantsLines = (accept: string | undefined): boolean => {
  const type = acceptedType(accept, [JSON_TYPE, NDJSON_TYPE]);
  if (type === undefined) throw new Problem(406, `this call answers ${JSON_TYPE} and ${NDJSON_TYPE}`);
  return type === NDJSON_TYPE;
};

/** A page of items that are JSON already. */
export const pageAnswer = (items: readonly string[], next: string | number | null): Answer =>
  new Answer(`{"items":[${items.join(',')}],"next":${JSON.stringify(next)}}`, { type: `${JSON_TYPE}; charset=utf-8`, vary: 'Accept' });

/** One item a line, as fast as the client takes them. A failure on the way breaks the connection off. */
export class LinesAnswer extends Answer {
  /** @param ended called when the connection has ended, or the list */
  constructor(
    private readonly portions: AsyncGenerator<readonly string[]>,
    private readonly ended: () => void,
  ) {
    super(undefined, { type: `${NDJSON_TYPE}; charset=utf-8`, vary: 'Accept' });
  }

  override send(reply: FastifyReply): FastifyReply {
    const idle = setTimeout(() => reply.raw.destroy(), IDLE_MS).unref();
    const { portions } = this;
    const lines = async function* (): AsyncGenerator<Buffer> {
      for await (const items of portions) {
        idle.refresh();
        yield Buffer.from(`${items.join('\n')}\n`);
      }
    };
    const stream = Readable.from(lines(), { objectMode: false });
    let isEnded = false;
    const end = (): void => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(idle);
      stream.destroy();
      this.ended();
    };
    reply.raw.once('close', end);
    if (reply.raw.socket?.destroyed !== false) end(); // the client has gone already: nothing will say so
    return new Answer(stream, this.options).send(reply);
  }
}
