import type { Command } from 'commander';
import { addCommand, addGroup, serverOf } from './frame.js';
import { queryOf } from './ops-client.js';

type Page = Readonly<{ items: readonly object[]; next: string | null }>;

/** Lists of a project, with the columns that a terminal shows. */
const LISTS = [
  ['topics', 'topics of a project with what was published, the newest topic first', []],
  [
    'subscriptions',
    'subscriptions of a project with what waits in them, the newest subscription first',
    ['name', 'topic', 'backlog', 'exact', 'oldestPublishedAt', 'outstanding', 'pulledAt', 'deadLetterTopic'],
  ],
] as const;

/** `messaging topics` and `messaging subscriptions`: what waits in the messaging service, on a running server. */
export const addMessagingCommands = (program: Command): void => {
  const messaging = addGroup(program, 'messaging', 'what waits in the messaging service');
  for (const [list, description, columns] of LISTS) {
    addCommand<Readonly<Record<string, string>>>(messaging, {
      name: `${list} <project>`,
      description,
      lists: columns,
      example: `logbook messaging ${list} my-project`,
      configure: (command) =>
        command.option('--after <next>', '`next` of the page before, with --json').option('--limit <count>', '1 to 100; default: 100'),
      run: async (call) => {
        const path = `/ops/messaging/${encodeURIComponent(String(call.args[0]))}/${list}${queryOf(call.options)}`;
        const value = await (await serverOf(call)).get<Page>(path);
        return { value, ...(value.next !== null && { message: `there are more: --after ${value.next}` }) };
      },
    });
  }
};
