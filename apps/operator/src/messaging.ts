import type { Command } from 'commander';
import type { DEAD_LETTERS, REDRIVEN } from '#api/operations/messaging/dead-letters-documentation.js';
import type { SUBSCRIPTION, SUBSCRIPTIONS, TOPICS } from '#api/operations/messaging/documentation.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { WrongUsage } from './command-failed.js';
import { addCommand, addGroup, type CommandOutcome, serverOf } from './frame.js';
import { type OpsClient, queryOf } from './ops-client.js';

type Page = Answered<typeof TOPICS | typeof SUBSCRIPTIONS>;
type Options = Readonly<Record<string, string>>;

/** Lists of a project, with the columns that a terminal shows. */
const LISTS = [
  ['topics', 'topics of a project with numbers of published messages, newest topic first', []],
  [
    'subscriptions',
    'subscriptions of a project with numbers of waiting messages, newest subscription first',
    ['name', 'topic', 'backlog', 'exact', 'oldestPublishedAt', 'outstanding', 'pulledAt', 'deadLetters.count'],
  ],
] as const;

const pathOf = (...parts: readonly unknown[]): string =>
  `/ops/messaging/${parts.map((part) => encodeURIComponent(String(part))).join('/')}`;

const paged = (command: Command): Command =>
  command.option('--after <next>', '`next` of the previous page, with --json').option('--limit <count>', '1 to 100; default: 100');

const pageOutcome = (value: Page): CommandOutcome => ({
  value,
  ...(value.next !== null && { message: `there are more: --after ${value.next}` }),
});

/** `messaging backlog`: what waits in a subscription, by age. */
const addBacklog = (messaging: Command): void => {
  addCommand(messaging, {
    name: 'backlog <project> <subscription>',
    description: 'waiting messages of a subscription by age; with --json its whole state',
    lists: [],
    example: 'logbook messaging backlog my-project alarm-desk',
    run: async (call) => {
      const [project, subscription] = call.args;
      const value = await (await serverOf(call)).get<Answered<typeof SUBSCRIPTION>>(pathOf(project, 'subscriptions', subscription));
      const rows = value.backlog.map(({ from, to, messages, exact }) => ({
        olderThan: `${from} s`,
        upTo: to === null ? 'any age' : `${to} s`,
        messages: exact ? `${messages}` : `at most ${messages}`,
      }));
      return { value, rows };
    },
  });
};

/** Ids that a call takes. */
const MOST_IDS = 1_000;

/** However many calls that takes. @param ids none: all */
const redrive = async (server: OpsClient, path: string, ids: readonly string[]): Promise<CommandOutcome> => {
  let [redriven, kept] = [0, 0];
  for (let at = 0; at === 0 || at < ids.length; at += MOST_IDS) {
    for (let after: string | null | undefined; after !== null; ) {
      const body = { ...(ids.length > 0 && { messages: ids.slice(at, at + MOST_IDS) }), after };
      const answer: Answered<typeof REDRIVEN> = await server.post(`${path}/redrive`, body);
      redriven += answer.redriven;
      kept += answer.kept;
      after = answer.next;
    }
  }
  const message = kept > 0 ? `${kept} ${kept === 1 ? 'stays' : 'stay'}: the topic or subscription they came from is gone` : undefined;
  return { value: { redriven, kept, next: null }, text: `redriven: ${redriven}`, ...(message && { message }) };
};

/** `messaging dead-letters`: what a subscription could not deliver; `redrive` sends it back. */
const addDeadLetters = (messaging: Command): void => {
  addCommand<Options>(messaging, {
    name: 'dead-letters <project> <subscription> [redrive] [ids...]',
    description:
      'dead letters of a subscription, newest first; redrive, without --after and --limit, publishes all of them, or the named ones, to its topic again',
    lists: ['id', 'reason', 'attempts', 'at', 'bytes'],
    example: 'logbook messaging dead-letters my-project alarm-desk redrive 12 17',
    configure: paged,
    run: async (call) => {
      const [project, subscription, action, ids = []] = call.args;
      if (action !== undefined && action !== 'redrive')
        throw new WrongUsage(`dead letters can be listed or redriven, not ${String(action)}`);
      if (action === 'redrive' && (call.options.after ?? call.options.limit) !== undefined)
        throw new WrongUsage('redrive takes neither --after nor --limit: give the ids of dead letters, or none to redrive all');
      const path = `${pathOf(project, 'subscriptions', subscription)}/dead-letters`;
      const server = await serverOf(call);
      if (action === 'redrive') return redrive(server, path, ids as readonly string[]);
      const value = await server.get<Answered<typeof DEAD_LETTERS>>(`${path}${queryOf(call.options)}`);
      if (value.topic === null) return { value, message: 'this subscription has no dead letter topic' };
      const { items, next, total } = value;
      const of = `${items.length} of ${total.exact ? '' : 'at least '}${total.count}`;
      return { value, ...(next !== null && { message: `${of} are shown, there are more: --after ${next}` }) };
    },
  });
};

/** Commands about the messaging service, on a running server. */
export const addMessagingCommands = (program: Command): void => {
  const messaging = addGroup(program, 'messaging', 'what waits in the messaging service, and dead letters');
  for (const [list, description, columns] of LISTS) {
    addCommand<Options>(messaging, {
      name: `${list} <project>`,
      description,
      lists: columns,
      example: `logbook messaging ${list} my-project`,
      configure: paged,
      run: async (call) => pageOutcome(await (await serverOf(call)).get<Page>(`${pathOf(call.args[0], list)}${queryOf(call.options)}`)),
    });
  }
  addBacklog(messaging);
  addDeadLetters(messaging);
};
