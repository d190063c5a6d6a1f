import type { Command } from 'commander';
import type { CHANGES } from '#api/audit/changes/documentation.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { addCommand, serverOf } from './frame.js';
import { queryOf } from './ops-client.js';

const OPTIONS: readonly (readonly [string, string])[] = [
  ['--service <name>', 'messaging, accounting, status or ops'],
  ['--kind <kind>', 'of one kind of records, such as metric_profile'],
  ['--actor <actor>', 'id of an actor, or a part of its name'],
  ['--correlation <id>', 'every event of one conversation'],
  ['--causation <id>', 'every event that followed directly from one event or request'],
  ['--text <text>', 'part of the sentence'],
  ['--from <instant>', 'log time, inclusive'],
  ['--to <instant>', 'log time, exclusive'],
  ['--after <next>', '`next` of the page before'],
  ['--limit <number>', '1 to 200; default: 50'],
  ['--as-of <instant or position>', 'as of that point in time, which is on record'],
];

/** Adds `changes`: the sentences of the console's list of changes, of a running server. */
export const addChangesCommand = (program: Command): void => {
  addCommand<Readonly<Record<string, string>> & Readonly<{ reads?: true; asOf?: string }>>(program, {
    name: 'changes',
    description: 'what changed, newest first, each as a sentence with names',
    example: 'logbook changes --service status --text deleted',
    lists: ['time', 'sentence'],
    configure: (command) => {
      for (const [flags, description] of OPTIONS) command.option(flags, description);
      command.option('--reads', 'reads that are on record, too');
    },
    run: async (call) => {
      const { reads, asOf, ...filters } = call.options;
      const query = queryOf({ ...filters, ...(reads && { reads: 'true' }) });
      const value = await (await serverOf(call)).call<Answered<typeof CHANGES>>(
        `/audit/changes${query}`,
        asOf === undefined ? {} : { headers: { 'logbook-as-of': asOf } },
      );
      const rows = value.items.map(({ time, sentence, index }) => ({ time, sentence, index }));
      return { value, rows, ...(value.next !== null && { message: `there are more: --after ${value.next}` }) };
    },
  });
};
