import type { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Day } from '#domain/shared/time.js';
import { type DayList, type DayListCommand, streamOfDay } from '#domain/status/day-lists.js';
import { MalformedJson } from '../shared/json-reader.js';
import { noteReadability } from '../shared/read-model-header.js';
import { contextOf } from '../shared/request-context.js';
import { StreamWrite } from '../shared/stream-write.js';
import type { DayListReader } from './day-list-reader.js';
import type { StatusError } from './errors.js';
import { tenantAdmission } from './status-edge.js';

/** Writes of the lists of one kind, for the caller's tenant. Each resolves with the number of items in the list. */
export class DayListWriter<Item extends object> {
  constructor(
    private readonly list: DayList<Item>,
    private readonly commands: CommandBus,
    private readonly reader: DayListReader,
    private readonly clock: Clock,
  ) {}

  /** A malformed body counts only for a day that has no list yet. @throws `taken`, or what `items` throws */
  async create(
    request: FastifyRequest,
    reply: FastifyReply,
    date: Day,
    { items, taken }: Readonly<{ items: () => readonly Item[]; taken: () => StatusError }>,
  ): Promise<number> {
    const { tenantId } = tenantAdmission(request).caller;
    let read: readonly Item[];
    try {
      read = items();
    } catch (error) {
      throw error instanceof MalformedJson && (await this.reader.has(tenantId, date)) ? taken() : error;
    }
    return this.write(request, reply, { type: 'ListDay', tenantId, date, items: read }, taken);
  }

  /** @throws `missing` */
  delete(request: FastifyRequest, reply: FastifyReply, date: Day, missing: () => StatusError): Promise<number> {
    return this.write(request, reply, { type: 'DeleteDay', tenantId: tenantAdmission(request).caller.tenantId, date }, missing);
  }

  private async write(
    request: FastifyRequest,
    reply: FastifyReply,
    command: DayListCommand<Item>,
    refusal: () => StatusError,
  ): Promise<number> {
    const { tenantId, date } = command;
    const actor = { kind: 'user', id: tenantAdmission(request).caller.actorId } as const;
    const stream = streamOfDay(this.list, tenantId, date);
    try {
      const { events, readable } = await this.commands.execute(
        new StreamWrite(stream, this.list.decider, command, contextOf(request, 'status', actor, this.clock)),
      );
      noteReadability(reply, readable);
      const [event] = events;
      if (!event) throw new Error('a day list was written without an event');
      return event.data.count;
    } catch (error) {
      throw error instanceof DomainError ? refusal() : error;
    }
  }
}
