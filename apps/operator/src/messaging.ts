import type { Command } from 'commander';
import { addCommand, addGroup, serverOf } from './frame.js';
import { queryOf } from './ops-client.js';

type Page = Readonly<{ items: readonly object[]; next: string | null }>;

/** Lists of a project, with the columns shown on a terminal. */
const LISTS = [
  ['topics', 'topics of a project with numbers of published messages, newest topic first', []],
  [
    'subscriptions',
    'subscriptions of a project with numbers of waiting messages, newest subscription first',
    ['name', 'topic', 'backlog', 'exact', 'oldestPublishedAt', 'outstanding', 'pulledAt', 'deadLetterTopic'],
  ],
] as const;

/** Adds `messaging topics` and `messaging subscriptions`, which show the backlog of the messaging service of a running server. */
export const addMessagingCommands = (program: Command): void => {
  const messaging = addGroup(program, 'messaging', 'backlog of the messaging service');
  for (const [list, description, columns] of LISTS) {
    addCommand<Readonly<Record<string, string>>>(messaging, {
      name: `${list} <project>`,
      description,
      lists: columns,
      example: `logbook messaging ${list} my-project`,
      configure: (command) =>
        command.option('--after <next>', '`next` of the previous page, with --json').option('--limit <count>', '1 to 100; default: 100'),
      run: async (call) => {
        const path = `/ops/messaging/${encodeURIComponent(String(call.args[0]))}/${list}${queryOf(call.options)}`;
        const value = await (await serverOf(call)).get<Page>(path);
        return { value, ...(value.next !== null && { message: `there are more: --after ${value.next}` }) };
      },
    });
  }
};
