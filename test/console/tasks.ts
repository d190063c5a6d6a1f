import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Serving } from '#test/e2e/serving.js';
import { ADMIN, OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { registerTenant } from '#test/support/status-client.js';
import { calling, dayBefore } from './month/caller.js';
import { type MonthTenant, TROUBLED } from './month/status.js';
import type { Steps } from './steps.js';
import { unreadable } from './unreadable.js';

/** What one has to know for the tasks, by name: each stands in braces in a command. */
export type Known = Readonly<
  Record<'partition' | 'user' | 'userName' | 'actor' | 'project' | 'yesterday' | 'instant' | 'badDay' | 'profile', string>
>;

/** A page that shows the overview to somebody who has just signed in. */
export type Desk = Readonly<{ page: Page; steps: Steps; known: Known }>;

/** What operators and auditors do, in the console and on the command line. */
export type Task = Readonly<{
  who: 'operator' | 'auditor';
  what: string;
  /** Resolves when the page has said what came of it. */
  console: (desk: Desk) => Promise<unknown>;
  /** Of `logbook`; none: it has no command for this. */
  commands: readonly string[];
}>;

const open = ({ page, steps }: Desk, view: string): Promise<void> =>
  steps.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view, exact: true }));

const goTo = async ({ page, steps }: Desk, name: string): Promise<void> => {
  await steps.press(page, 'Control+k');
  await steps.fill(page.getByRole('combobox', { name: 'Go to' }), name);
  await steps.press(page, 'Enter');
};

const said = ({ page }: Desk, text: string | RegExp): Promise<void> => page.getByRole('status').getByText(text).waitFor();

const skipFailing = async (desk: Desk): Promise<void> => {
  const { page, steps, known } = desk;
  await steps.click(page.getByRole('status').getByRole('link', { name: 'Open status.reports' }));
  const row = page.getByRole('row').filter({ has: page.getByTitle(known.partition) });
  await steps.click(row.getByRole('button', { name: 'Skip event' }));
  const dialog = page.getByRole('dialog');
  await steps.fill(dialog.getByLabel('Reason'), 'a report that never was one');
  await steps.click(dialog.getByRole('button', { name: 'Skip event' }));
  await said(desk, /^Skipped .*served again\.$/);
};

const seeBacklog = async (desk: Desk): Promise<void> => {
  await goTo(desk, 'alerts-archive');
  await desk.page
    .getByRole('table', { name: 'Backlog by age' })
    .getByRole('row', { name: /^all [1-9]/ })
    .waitFor();
};

const redrive = async (desk: Desk): Promise<void> => {
  const { page, steps, known } = desk;
  await goTo(desk, `repairs ${known.project}`);
  await steps.click(page.getByRole('tab', { name: 'Dead letters' }));
  await steps.click(page.getByRole('button', { name: 'Redrive all' }));
  await steps.click(page.getByRole('dialog').getByRole('button', { name: 'Redrive 3 messages' }));
  await said(desk, 'Redriven 3 messages');
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
  await steps.fill(page.getByLabel('Person or record'), known.userName);
  await steps.click(page.getByRole('button', { name: 'Erase' }));
  const dialog = page.getByRole('dialog');
  await steps.fill(dialog.getByLabel('Reason'), 'asked for it');
  await steps.click(dialog.getByRole('button', { name: 'Erase for good' }));
  await said(desk, `Erased ${known.userName}, user of messaging`);
};

const changesOf = ({ page }: Desk, sentence: string) =>
  page.getByRole('list', { name: 'Changes', exact: true }).getByRole('listitem').filter({ hasText: sentence });

const whoChanged = async (desk: Desk): Promise<void> => {
  const { page, steps, known } = desk;
  await open(desk, 'Changes');
  await steps.fill(page.getByLabel('From', { exact: true }), known.yesterday);
  await steps.fill(page.getByLabel('Text', { exact: true }), 'in Alpine Grid');
  await changesOf(desk, 'Ada Lovelace changed the metric profile checks in Alpine Grid').first().waitFor();
};

const changedWord = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Changes');
  await steps.choose(page.getByLabel('Kind'), 'metric_profile');
  const found = page.getByRole('region', { name: 'Difference' }).getByRole('insertion').getByText('twelve', { exact: true });
  const changes = changesOf(desk, 'Ada Lovelace changed the metric profile checks in Alpine Grid');
  for (let at = 0; !(await found.isVisible()); at += 1) {
    await steps.click(changes.nth(at).getByRole('button', { name: 'Difference' }));
    await changes.nth(at).getByRole('region', { name: 'Difference' }).waitFor();
  }
};

const asItWas = async (desk: Desk): Promise<void> => {
  const { page, steps, known } = desk;
  await goTo(desk, 'alerts-reader');
  await page.getByRole('table', { name: 'Backlog by age' }).waitFor();
  await steps.fill(page.getByLabel('As of', { exact: true }), known.instant);
  await steps.press(page, 'Enter');
  await page.getByRole('region', { name: 'The past' }).waitFor();
  const deadline = page.locator('dt', { hasText: /^Deadline$/ }).locator('xpath=following-sibling::dd');
  await deadline.filter({ hasText: /^1 min$/ }).waitFor();
};

const explainFigure = async (desk: Desk): Promise<void> => {
  const { page, steps, known } = desk;
  await open(desk, 'Status');
  await steps.click(page.getByRole('button', { name: new RegExp(`^${TROUBLED}, ${known.badDay}: availability`) }));
  await steps.click(page.getByRole('button', { name: 'Explain' }));
  await page
    .getByRole('region', { name: 'Explanation' })
    .getByText(/^100 − .+ = [\d.]+ %/)
    .first()
    .waitFor();
};

const lastOfActor = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Actors');
  await steps.click(page.getByRole('link', { name: 'LOGBOOK_STATUS_ADMIN_KEY' }));
  await page.getByRole('list', { name: 'Changes', exact: true }).waitFor();
};

const verifyLog = async (desk: Desk): Promise<void> => {
  const { page, steps } = desk;
  await open(desk, 'Integrity');
  await steps.click(page.getByRole('button', { name: 'Verify now' }));
  await said(desk, /^Intact/);
};

const prove = async (desk: Desk): Promise<void> => {
  await goTo(desk, '3');
  await desk.steps.click(desk.page.getByRole('link', { name: 'Proof report' }));
  await said(desk, "The proof holds, by this server's own key");
};

const task =
  (who: Task['who']) =>
  (what: string, console: Task['console'], ...commands: readonly string[]): Task => ({ who, what, console, commands });
const [operator, auditor] = [task('operator'), task('auditor')];

/** In the order in which they can be done one after the other. */
export const tasks: readonly Task[] = [
  operator(
    'Skip an event that a read model cannot apply',
    skipFailing,
    'projections list',
    'projections partitions status.reports',
    'projections skip status.reports {partition} --reason "…"',
  ),
  operator('See whether all is well', (desk) => said(desk, 'not been sent back'), 'doctor'),
  operator('See how old the backlog of a subscription is', seeBacklog, 'messaging backlog monitoring alerts-archive'),
  operator('Redrive the dead letters of a subscription', redrive, 'messaging dead-letters {project} repairs redrive'),
  operator('Compare a read model with the log', verifyReadModel, 'projections verify status.reports'),
  operator('Back up the log', backUp, 'backup monday'),
  operator('Give an auditor a key', giveKey, 'keys create --service ops --role auditor --name "yearly audit"'),
  operator('Erase the personal data of a user', erase, 'erase messaging user {user} --reason "…"'),
  auditor(
    'See which records of a tenant changed since yesterday, and who changed them',
    whoChanged,
    'changes --from {yesterday}T00:00:00Z --text "in Alpine Grid"',
  ),
  auditor(
    'Find the change of a metric profile that changed one word',
    changedWord,
    'changes --kind metric_profile',
    'audit resource status metric_profile {profile}',
  ),
  auditor('See a subscription as it was at an instant', asItWas, 'audit resource messaging subscription alerts-reader --scope monitoring'),
  auditor('Explain the figure of a group', explainFigure),
  auditor('See what somebody did last', lastOfActor, 'audit actor {actor}'),
  auditor('Show that nothing in the log was altered', verifyLog, 'audit verify'),
  auditor(
    'Prove an event, and check the proof',
    prove,
    'audit proof 3 --json > proof.json',
    'audit keys > keys.json',
    'audit check proof.json --keys keys.json',
  ),
];

const LOST = 3;
const ATTEMPTS = 5;

type Pulled = Readonly<{ receivedMessages: readonly Readonly<{ ackId: string }>[] }>;

/** Makes a subscription that nobody could take messages from, and waits until they are dead letters. */
const loseMessages = async ({ root, server }: Serving, project: string, topic: string): Promise<void> => {
  const call = calling(`${server.url}/v1/projects/${project}`, { 'x-api-key': SERVICE_TOKEN });
  await call('PUT', '/subscriptions/repairs', {
    topic: `projects/${project}/topics/${topic}`,
    ackMode: 'message',
    deadLetterPolicy: { deadLetterTopic: `projects/${project}/topics/not-taken`, maxDeliveryAttempts: ATTEMPTS },
    retryPolicy: { minimumBackoff: '0s', maximumBackoff: '0s' },
  });
  await call('POST', `/topics/${topic}:publish`, { messages: Array.from({ length: LOST }, () => ({ data: 'aGVsbG8=' })) });
  for (let attempts = 0; attempts < LOST * ATTEMPTS; ) {
    const { receivedMessages } = await call<Pulled>('POST', '/subscriptions/repairs:pull', { maxMessages: '10' });
    attempts += receivedMessages.length;
    const ackIds = receivedMessages.map(({ ackId }) => ackId);
    if (ackIds.length > 0) await call('POST', '/subscriptions/repairs:modifyAckDeadline', { ackIds, ackDeadlineSeconds: 0 });
  }
  await eventually(() => root.get(`/ops/messaging/${project}/subscriptions/repairs/dead-letters`, { key: OPERATOR })).until(
    ({ json }) => (json as { items: readonly object[] }).items.length === LOST,
  );
};

/** Changes a metric profile twice: one word of its description, then more of it. @returns its id */
const changeProfile = async ({ status }: Serving, { user: key }: MonthTenant, now: number): Promise<string> => {
  const { data } = (await status.get('/metric_profiles', { key })).json as { data: { id: string; description: string }[] };
  const [{ id, ...profile } = { id: '', description: '' }] = data;
  for (const description of [profile.description.replace('six', 'twelve'), 'Checked twice a day'])
    await status.put(`/metric_profiles/${id}?date=${dayBefore(now, 0)}`, {
      key,
      body: { ...profile, date: undefined, description },
    });
  return id;
};

/** Makes what the tasks are about, for the console first, then for the command line. @param scene filled with a month @param now its end */
export const prepareTasks = async (scene: Serving, tenant: MonthTenant, now: number): Promise<readonly [Known, Known]> => {
  const { plant, root, status } = scene;
  const profile = await changeProfile(scene, tenant, now);
  const hurt = [await registerTenant(status, ADMIN, 'hurt', ['admin']), await registerTenant(status, ADMIN, 'hurt-too', ['admin'])];
  await plant(...hurt.map(unreadable));
  await root.post('/audit/anchors', { key: OPERATOR });
  const read = async <Answer>(path: string, key = OPERATOR): Promise<Answer> => (await root.get(path, { key })).json as Answer;
  const { items } = await read<{ items: { actor: { id: string } }[] }>('/audit/actors?kind=key');
  const { versions } = await read<{ versions: { time: string }[] }>(
    '/audit/resources/messaging/subscription/alerts-reader?scope=monitoring',
  );
  const shared = {
    actor: items[0]?.actor.id ?? '',
    yesterday: dayBefore(now, 1),
    badDay: dayBefore(now, 14),
    instant: versions[1]?.time ?? '',
    profile,
  };
  const knownOf = async (at: number, userName: string, project: string, topic: string): Promise<Known> => {
    await loseMessages(scene, project, topic);
    const { uuid } = await read<{ uuid: string }>(`/v1/users/${userName}`, SERVICE_TOKEN);
    return { ...shared, partition: `tenant:${hurt[at]}`, user: uuid, userName, project };
  };
  return [
    await knownOf(0, 'monitoring-reader', 'monitoring', 'alerts'),
    await knownOf(1, 'monitoring-publisher', 'usage-records', 'grid-jobs'),
  ];
};

const wordsOf = (command: string): readonly string[] => command.match(/"[^"]*"|\S+/g) ?? [];

/** Commands whose names have two words. */
const GROUPS = ['audit', 'keys', 'messaging', 'projections'];

/** A command is a step, and so is each value, each option with its value, and the file that output goes to. */
const stepsOf = (command: string): number => {
  const [group = '', ...words] = wordsOf(command);
  const given = GROUPS.includes(group) ? words.slice(1) : words;
  return 1 + given.filter((word, at) => word !== '>' && (word.startsWith('--') || !given[at - 1]?.startsWith('--'))).length;
};

/** What a task takes in the console. `events`: that it appends. */
export type Effort = Readonly<{ steps: number; events: number }>;

/** The row of the table in docs/console/README.md. */
export const rowOf = ({ who, what, commands }: Task, { steps, events }: Effort): string => {
  const shown = commands.map((command) => `\`logbook ${command}\``).join(', ');
  const typed = commands.reduce((sum, command) => sum + stepsOf(command), 0);
  return `| ${[who, what, steps, events, typed || '–', shown || 'none'].join(' | ')} |`;
};

/** Does a task on the command line. @param environment the server and a key @throws Error for a command that fails */
export const onCommandLine = async (
  { commands }: Task,
  environment: Readonly<Record<string, string>>,
  known: Known,
  /** For files. */
  folder: string,
): Promise<void> => {
  const said = (word: string): string => {
    const text = word.replace(/\{(\w+)\}/g, (_, name: keyof Known) => known[name]).replaceAll('"', '');
    return text.endsWith('.json') ? join(folder, text) : text;
  };
  for (const command of commands) {
    const [typed = '', into] = command.split(' > ');
    const { code, stdout, stderr } = await runLogbook(wordsOf(typed).map(said), environment);
    const expected = typed === 'doctor' ? 1 : 0; // the month has findings
    if (code !== expected) throw new Error(`logbook ${command} ended with ${code}: ${stdout}${stderr}`);
    if (into !== undefined) await writeFile(said(into), stdout);
  }
};
