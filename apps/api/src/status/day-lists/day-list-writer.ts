import { randomUUID } from 'node:crypto';
import type { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { contextOf } from '#api/shared/http/request-context.js';
import type { Item as Place } from '#api/shared/json/json-elements.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import type { StatusError } from '#api/status/errors.js';
import { tenantAdmission } from '#api/status/http-policy.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Day } from '#domain/shared/time.js';
import { type DayList, type DayListCommand, DayParts, type ListDay, streamOfDay } from '#domain/status/day-lists/day-lists.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import type { DayListReader } from './day-list-reader.js';

/** Where the items of a body are, and how each is read. */
export type BodyItems<Item> = Readonly<{ places(): Iterable<Place>; read(place: Place): Item }>;

/** Items of lists that are longer than so many bytes of a body are read twice, to check and to write them, and never all in memory. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** Items that go into the log, and how. */
type Checked<Item> = Readonly<{ reads: readonly (() => Item)[]; layout: DayParts }>;

/** Writes of the lists of one kind, for the caller's tenant. Each resolves with the number of items in the list. */
export class DayListWriter<Item extends object> {
  constructor(
    private readonly list: DayList<Item>,
    private readonly commands: CommandBus,
    private readonly reader: DayListReader,
    private readonly clock: Clock,
  ) {}

  /** A malformed body counts only for a day that has no list yet. @throws `taken`, MalformedJson, DomainError `OVER_LIMIT` */
  async create(
    request: FastifyRequest,
    reply: FastifyReply,
    date: Day,
    { items, taken }: Readonly<{ items: () => BodyItems<Item>; taken: () => StatusError }>,
  ): Promise<number> {
    const { tenantId } = tenantAdmission(request).caller;
    let checked: Checked<Item>;
    try {
      checked = await this.check(items());
    } catch (error) {
      throw error instanceof MalformedJson && (await this.reader.has(tenantId, date)) ? taken() : error;
    }
    return this.upload(request, reply, date, checked, taken);
  }

  /** @throws `missing` */
  delete(request: FastifyRequest, reply: FastifyReply, date: Day, missing: () => StatusError): Promise<number> {
    const command = { type: 'DeleteDay', tenantId: tenantAdmission(request).caller.tenantId, date } as const;
    return this.write(reply, command, this.context(request), missing);
  }

  /** All of a body before anything of it is written. */
  private async check(items: BodyItems<Item>): Promise<Checked<Item>> {
    const slice = new TimeSlice();
    const layout = new DayParts(this.list);
    const reads: (() => Item)[] = [];
    for (const place of items.places()) {
      const item = items.read(place);
      layout.add(item);
      reads.push(place.end <= KEPT_BYTES ? () => item : () => items.read(place));
      if (slice.isOver) await slice.next();
    }
    return { reads, layout };
  }

  /** Some parts after the others: the list is there with the last of them. */
  private async upload(
    request: FastifyRequest,
    reply: FastifyReply,
    date: Day,
    { reads, layout }: Checked<Item>,
    taken: () => StatusError,
  ): Promise<number> {
    const { tenantId } = tenantAdmission(request).caller;
    const { idempotency, ...context } = this.context(request);
    const upload = idempotency ? derivedId(idempotency.key) : randomUUID();
    const all = { type: 'ListDay', tenantId, date, upload, count: layout.count, parts: layout.parts } as const;
    const slice = new TimeSlice();
    for (const [first, end] of layout.appends()) {
      const parts: (readonly Item[])[] = [];
      for (let part = first; part < end; part++) {
        parts.push(reads.slice(...layout.itemsOf(part)).map((read) => read()));
        if (slice.isOver) await slice.next();
      }
      const isLast = end === layout.parts;
      // A repeat sends the same parts again, so each stretch but the last is known by the key and its number.
      const key = idempotency && { idempotency: isLast ? idempotency : { ...idempotency, key: `${idempotency.key}.${first}` } };
      await this.write(reply, { ...all, first, items: parts } satisfies ListDay<Item>, { ...context, ...key }, taken, isLast);
    }
    return layout.count;
  }

  private context(request: FastifyRequest): CommandContext {
    return contextOf(request, 'status', { kind: 'user', id: tenantAdmission(request).caller.actorId }, this.clock);
  }

  private async write(
    reply: FastifyReply,
    command: DayListCommand<Item>,
    context: CommandContext,
    refusal: () => StatusError,
    readable = true,
  ): Promise<number> {
    const stream = streamOfDay(this.list, command.tenantId, command.date);
    try {
      const outcome = await this.commands.execute(new StreamWrite(stream, this.list.decider, command, context, readable));
      noteReadability(reply, outcome.readable);
      const [event] = outcome.events;
      if (!event) throw new Error('a day list was written without an event');
      return event.data.count;
    } catch (error) {
      throw error instanceof DomainError ? refusal() : error;
    }
  }
}
