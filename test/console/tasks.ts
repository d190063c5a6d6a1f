import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Serving } from '#test/e2e/serving.js';
import { ADMIN, OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { runLogbook } from '#test/support/logbook-process.js';
import { registerTenant } from '#test/support/status-client.js';
import type { Steps } from './steps.js';
import { unreadable } from './unreadable.js';

/** What one has to know for the tasks, by name: each stands in braces in a command. */
export type Known = Readonly<Record<'partition' | 'user' | 'actor', string>>;

/** A page that shows the overview to somebody who has just signed in, and a folder for files. */
export type Desk = Readonly<{ page: Page; steps: Steps; known: Known; folder: string }>;

/** What operators and auditors do, in the console and on the command line. */
export type Task = Readonly<{
  who: 'operator' | 'auditor';
  what: string;
  /** Resolves when the page has said what came of it. */
  console: (desk: Desk) => Promise<unknown>;
  /** Of `logbook`. */
  commands: readonly string[];
}>;

const open = ({ page, steps }: Desk, view: string): Promise<void> =>
  steps.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view, exact: true }));

const said = ({ page }: Desk, text: string | RegExp): Promise<void> => page.getByRole('status').getByText(text).waitFor();

const skipFailing = async (desk: Desk): Promise<void> => {
  const { page, steps, known } = desk;
  await steps.click(page.getByRole('status').getByRole('link', { name: 'Open status.reports' }));
  await steps.click(page.getByRole('row', { name: new RegExp(known.partition) }).getByRole('button', { name: 'Skip event' }));
  const dialog = page.getByRole('dialog');
  await steps.fill(dialog.getByLabel('Reason'), 'a report that never was one');
  await steps.click(dialog.getByRole('button', { name: 'Skip event' }));
  await said(desk, /^Skipped .*served again\.$/);
};

const verifyReadModel = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Projections');
  await steps.click(page.getByRole('link', { name: 'status.reports' }));
  await steps.click(page.getByRole('button', { name: 'Verify' }));
  await said(desk, /^Equal/);
};

const backUp = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Operations');
  await steps.click(page.getByRole('button', { name: 'Back up now' }));
  await page.getByRole('table', { name: 'Backups' }).getByText('done').waitFor();
};

const giveKey = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Operations');
  await steps.fill(page.getByLabel('Name'), 'yearly audit');
  await steps.choose(page.getByLabel('Role'), 'ops auditor');
  await steps.click(page.getByRole('button', { name: 'Create key' }));
  await page.getByRole('dialog').locator('code').waitFor();
};

const erase = async (desk: Desk): Promise<void> => {
  const { page, steps, known } = desk;
  await open(desk, 'Operations');
  await steps.fill(page.getByLabel('Person or record'), known.user);
  await steps.click(page.getByRole('button', { name: 'Erase' }));
  const dialog = page.getByRole('dialog');
  await steps.fill(dialog.getByLabel('Reason'), 'asked for it');
  await steps.click(dialog.getByRole('button', { name: 'Erase for good' }));
  await said(desk, /^Erased monitoring-\w+, user of messaging/);
};

const whoChanged = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Messaging');
  await steps.click(page.getByRole('link', { name: 'monitoring' }));
  await steps.click(page.getByRole('link', { name: 'alerts-reader' }));
  await steps.click(page.getByRole('tab', { name: 'Versions' }));
  await page.getByRole('region', { name: 'Difference' }).waitFor();
};

const lastOfActor = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Actors');
  await steps.click(page.getByRole('link', { name: 'LOGBOOK_STATUS_ADMIN_KEY' }));
  await page.getByRole('table', { name: 'Its newest events' }).waitFor();
};

const verifyLog = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Integrity');
  await steps.click(page.getByRole('button', { name: 'Verify now' }));
  await said(desk, /^Intact/);
};

const prove = async (desk: Desk): Promise<void> => {
  const { page, steps, folder } = desk;
  await open(desk, 'Integrity');
  await steps.fill(page.getByLabel('Event index'), '3');
  const downloaded = page.waitForEvent('download');
  await steps.click(page.getByRole('button', { name: 'Download proof' }));
  const file = join(folder, 'proof-of-3.json');
  await (await downloaded).saveAs(file);
  await steps.give(page.getByLabel('Proof file'), file);
  await said(desk, "The proof holds, by this server's own key");
};

/** In the order in which they can be done one after the other. */
export const tasks: readonly Task[] = [
  {
    who: 'operator',
    what: 'Skip an event that a read model cannot apply',
    console: skipFailing,
    commands: ['projections list', 'projections partitions status.reports', 'projections skip status.reports {partition} --reason "…"'],
  },
  {
    who: 'operator',
    what: 'See whether all is well',
    console: (desk) => said(desk, 'All is well'),
    commands: ['doctor'],
  },
  {
    who: 'operator',
    what: 'Compare a read model with the log',
    console: verifyReadModel,
    commands: ['projections verify status.reports'],
  },
  { who: 'operator', what: 'Back up the log', console: backUp, commands: ['backup monday'] },
  {
    who: 'operator',
    what: 'Give an auditor a key',
    console: giveKey,
    commands: ['keys create --service ops --role auditor --name "yearly audit"'],
  },
  {
    who: 'operator',
    what: 'Erase the personal data of a user',
    console: erase,
    commands: ['erase messaging user {user} --reason "…"'],
  },
  {
    who: 'auditor',
    what: 'See who changed a subscription, and what',
    console: whoChanged,
    commands: ['audit resource messaging subscription alerts-reader --scope monitoring'],
  },
  { who: 'auditor', what: 'See what somebody did last', console: lastOfActor, commands: ['audit actor {actor}'] },
  { who: 'auditor', what: 'Show that nothing in the log was altered', console: verifyLog, commands: ['audit verify'] },
  {
    who: 'auditor',
    what: 'Prove an event, and check the proof',
    console: prove,
    commands: ['audit proof 3 --json > proof.json', 'audit keys > keys.json', 'audit check proof.json --keys keys.json'],
  },
];

/** Makes what the tasks are about, twice: once for the console, once for the command line. @param scene filled with a month */
export const prepareTasks = async ({ plant, root, status }: Serving): Promise<readonly Known[]> => {
  const ids = [await registerTenant(status, ADMIN, 'hurt', ['admin']), await registerTenant(status, ADMIN, 'hurt-too', ['admin'])];
  await plant(...ids.map(unreadable));
  await root.post('/audit/anchors', { key: OPERATOR });
  const { items } = (await root.get('/audit/actors?kind=key', { key: OPERATOR })).json as { items: { actor: { id: string } }[] };
  const users = ['monitoring-reader', 'monitoring-publisher'].map(
    async (name) => ((await root.get(`/v1/users/${name}`, { key: SERVICE_TOKEN })).json as { uuid: string }).uuid,
  );
  return Promise.all(
    ids.map(async (id, at) => ({ partition: `tenant:${id}`, user: (await users[at]) ?? '', actor: items[0]?.actor.id ?? '' })),
  );
};

const wordsOf = (command: string): readonly string[] => command.match(/"[^"]*"|\S+/g) ?? [];

/** Commands whose names have two words. */
const GROUPS = ['audit', 'keys', 'projections'];

/** A command is a step, and so is each value, each option with its value, and the file that output goes to. */
const stepsOf = (command: string): number => {
  const [group = '', ...words] = wordsOf(command);
  const given = GROUPS.includes(group) ? words.slice(1) : words;
  return 1 + given.filter((word, at) => word !== '>' && (word.startsWith('--') || !given[at - 1]?.startsWith('--'))).length;
};

/** The row of the table in docs/console/README.md. @param steps in the console */
export const rowOf = ({ who, what, commands }: Task, steps: number): string => {
  const shown = commands.map((command) => `\`logbook ${command}\``).join(', ');
  const typed = commands.reduce((sum, command) => sum + stepsOf(command), 0);
  return `| ${who} | ${what} | ${steps} | ${typed} | ${shown} |`;
};

/** Does a task on the command line. @param environment the server and a key @throws Error for a command that fails */
export const onCommandLine = async (
  { commands }: Task,
  environment: Readonly<Record<string, string>>,
  { known, folder }: Pick<Desk, 'known' | 'folder'>,
): Promise<void> => {
  const said = (word: string): string => {
    const text = word.replace(/\{(\w+)\}/g, (_, name: keyof Known) => known[name]).replaceAll('"', '');
    return text.endsWith('.json') ? join(folder, text) : text;
  };
  for (const command of commands) {
    const [typed = '', into] = command.split(' > ');
    const { code, stdout, stderr } = await runLogbook(wordsOf(typed).map(said), environment);
    if (code !== 0) throw new Error(`logbook ${command} ended with ${code}: ${stdout}${stderr}`);
    if (into !== undefined) await writeFile(said(into), stdout);
  }
};
