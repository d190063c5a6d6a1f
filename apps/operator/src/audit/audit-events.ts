import type { Command } from 'commander';
import type { RECORD_NAMES } from '#api/operations/names/documentation.js';
import type { Runtime } from '#api/runtime/runtime.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { exactJson } from '#domain/shared/json/exact-json.js';
import { actorView } from '#infra/engine/audit-index/event-views.js';
import { ACTOR_KINDS, type ActorKind } from '#infra/engine/audit-index/terms.js';
import { CommandFailed, WrongUsage } from '../command-failed.js';
import { addCommand, type OnStores } from '../frame.js';
import { type OpsClient, queryOf } from '../ops-client.js';
import { remark } from '../terminal.js';
import { PERSONAL, type PersonalOption, withPersonal } from './personal-option.js';

type Filters = Readonly<Record<string, string | readonly string[]>>;

const TEXT_OPTIONS: readonly (readonly [string, string])[] = [
  ['--event <id>', 'the event with an id'],
  ['--stream <name>', 'of one stream'],
  ['--category <name>', 'events of streams of a category, such as status.tenants'],
  ['--record <record>', 'that changed a record, such as status/report/<id> or messaging/topic/<project>/<name>'],
  ['--actor <id>', 'events caused by an actor'],
  ['--service <name>', 'messaging, accounting, status or ops'],
  ['--correlation <id>', 'of one conversation'],
  ['--causation <id>', 'that followed directly from one event or request'],
  ['--request <id>', 'of one call'],
  ['--from <instant>', 'log time, inclusive'],
  ['--to <instant>', 'log time, exclusive'],
  ['--order <order>', 'asc or desc; default: asc'],
  ['--after <position>', 'exclusive, in the direction of the order'],
  ['--limit <number>', '1 to 1000; default: 100'],
  ['--form <form>', 'readable or stored; default: readable'],
];

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** First indexes the events that no server has indexed. */
const caughtUp = async ({ audit, eventStore }: Runtime): Promise<void> => {
  await audit.catchUp(await eventStore.head());
  const reason = audit.index.stopped();
  if (reason !== null) remark(`the audit index has stopped, and later events are not shown: ${reason}`);
};

/** The same page as the HTTP call returns. */
const pageOf = async (runtime: Runtime, onStores: OnStores, filters: Filters): Promise<object> => {
  const { EventQuery, eventRequest, nextPosition, queryIn } = onStores;
  const query = queryIn(EventQuery, filters);
  await caughtUp(runtime);
  const { index, pages } = runtime.audit;
  const asked = await eventRequest({ index, events: runtime.eventStore }, query, 'cli', index.checkpoint().size);
  const { items, next } = await pages.page(asked, query.limit ?? 100);
  return { items: items.map((item) => exactJson(item)), next: nextPosition(index, asked.order, next) };
};

const actorOf = async (runtime: Runtime, id: string, kind: ActorKind | undefined): Promise<object> => {
  await caughtUp(runtime);
  const { index } = runtime.audit;
  const found = (kind ? [kind] : ACTOR_KINDS).flatMap((one) => index.tallies.actor(one, id) ?? []);
  const [tally] = found;
  if (!tally) throw new CommandFailed('no event has an actor with this id');
  if (found.length > 1)
    throw new WrongUsage(`error: the id stands for several actors: give --kind, one of ${found.map((one) => one.kind).join(', ')}`);
  const { firstSeen, lastSeen, events, services } = tally;
  const [first, last] = [firstSeen, lastSeen].map((time) => new Date(time).toISOString());
  return { actor: actorView(index, tally), firstSeen: first, lastSeen: last, events, services };
};

type Named = Answered<typeof RECORD_NAMES>;

/** Actor of a running server by its id, or by its name in any case. @throws CommandFailed its message has names that are close */
const actorNamed = async (server: OpsClient, text: string, query: string): Promise<object> => {
  const pathOf = (id: string): string => `/audit/actors/${encodeURIComponent(id)}${query}`;
  const byId = await server.stream(pathOf(text), {}, [404]);
  if (byId.ok) return (await byId.json()) as object;
  const { items } = await server.get<Named>(`/ops/names/actor${queryOf({ text })}`);
  const named = items.filter(({ name }) => name?.toLowerCase() === text.toLowerCase());
  const [found, ...others] = named;
  if (found && others.length === 0) return server.get(pathOf(found.id));
  const listed = (some: Named['items']): string => some.map(({ id, name }) => `${name} (${id})`).join(', ');
  if (found) throw new CommandFailed(`several actors have this name: give the id of one: ${listed(named)}`);
  throw new CommandFailed(`no actor has this id or name${items.length > 0 ? `; close ones: ${listed(items)}` : ''}`);
};

/** Adds `audit events` and `audit actor`. */
export const addAuditEventsCommands = (audit: Command): void => {
  addCommand<Filters & PersonalOption>(audit, {
    name: 'events',
    description: 'what happened, by stream, type, actor, time',
    example: 'logbook audit events --category status.tenants --order desc --limit 10 --columns time,type,actor.id',
    lists: ['position', 'time', 'type', 'actor.id', 'stream'],
    configure: (command) => {
      for (const [flags, description] of TEXT_OPTIONS) command.option(flags, description);
      command.option('--type <type>', 'events of these types; may be repeated', collect);
      command.option(...PERSONAL);
    },
    run: async ({ options, either }) => {
      const filters: Filters = withPersonal(options);
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(filters)) for (const one of [value].flat()) query.append(name, one);
      const value = await either<object>(
        (server) => server.getExact(`/audit/events?${query}`),
        (runtime, onStores) => {
          if (filters.personal === 'true') throw new WrongUsage('error: --personal needs a running server');
          return pageOf(runtime, onStores, filters);
        },
      );
      return { value };
    },
  });

  addCommand<Readonly<{ kind?: ActorKind }>>(audit, {
    name: 'actor <actor>',
    description: 'when an actor was first and last seen, and how many events it caused; by id, and from a running server by name',
    example: 'logbook audit actor 6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60',
    configure: (command) => command.option('--kind <kind>', `if the id stands for several actors: ${ACTOR_KINDS.join(', ')}`),
    run: async ({ args: [given], options: { kind }, either }) => {
      const actor = String(given);
      if (kind !== undefined && !ACTOR_KINDS.includes(kind)) throw new WrongUsage(`error: --kind must be one of ${ACTOR_KINDS.join(', ')}`);
      const query = kind === undefined ? '' : `?kind=${kind}`;
      const value = await either<object>(
        (server) => actorNamed(server, actor, query),
        (runtime) => actorOf(runtime, actor, kind),
      );
      return { value };
    },
  });
};
