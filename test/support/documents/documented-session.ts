import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts } from '#test/support/processes/free-ports.js';

/** A command, and what it is said to print. */
export type Step = Readonly<{ command: string; output: string }>;

const ROOT = new URL('../../..', import.meta.url);

/** The commands of the session blocks of a document, each with the output it shows. */
export const sessionOf = (readme: string): readonly Step[] => {
  const blocks = [...readme.matchAll(/<!-- session -->\n```console\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  const steps: { command: string; output: string }[] = [];
  for (const line of blocks.join('').split('\n')) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: '' });
    else if (last && line !== '') last.output += `${line}\n`;
  }
  return steps;
};

/** What differs from run to run, as documents write it. */
const normalise = (output: string, port: number): string =>
  output
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(`127.0.0.1:${port}`, '<host>')
    .replaceAll(/size \d+, root [0-9a-f]{64}/g, 'size <size>, root <root>');

/** Free ports that stand for 8080 and 8081 of the documents. */
type Ports = Readonly<{ server: number; second: number }>;

const MARK = '@@ next @@';

/** How a shell is started, without anyone's configuration, and prepared: no prompts, and at its end its jobs are ended. */
type Shell = Readonly<{ start: string; prologue: string }>;

export const SHELLS: Readonly<Record<'bash' | 'zsh', Shell>> = {
  bash: { start: 'bash --norc --noprofile --noediting -i', prologue: `PS1=; PS2=; trap 'kill $(jobs -p); wait' EXIT` },
  zsh: {
    start: 'zsh -f -i +Z',
    prologue: `PS1=; PS2=; unsetopt promptsp checkjobs hup; trap 'kill \${(k)jobstates/#/%}; wait' EXIT`,
  },
};

/** The output of a command without what the shell says of its jobs. */
const outputOf = (output: string): string => output.replaceAll(/^\[\d+\][ +-].*\n/gm, '');

/** Runs all steps in one shell, as a person would, and returns the output of each. */
const run = async (shell: Shell, steps: readonly Step[], directory: string, ports: Ports): Promise<readonly string[]> => {
  const { PATH = '', HOME = '' } = process.env;
  // A terminal makes the shell interactive: jobs have process groups of their own there.
  const child = spawn('script', ['-qec', `exec ${shell.start}`, '/dev/null'], {
    cwd: ROOT,
    env: {
      ...{ PATH, HOME, TERM: 'dumb', npm_config_loglevel: 'error', TMPDIR: directory },
      ...{ LOGBOOK_PORT: `${ports.server}`, LOGBOOK_DATA_DIR: join(directory, 'data') },
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const outputs: string[] = [];
  let output = '';
  const ask = (command: string): void => void child.stdin.write(`${command}\nprintf '%s%s' '@@ next' ' @@'\n`); // an echo is no mark
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const end = output.indexOf(MARK);
    if (end < 0) return;
    outputs.push(outputOf(output.slice(0, end)));
    output = output.slice(end + MARK.length);
    const next = steps[outputs.length - 1];
    if (next) ask(next.command.replaceAll('8080', `${ports.server}`).replaceAll('8081', `${ports.second}`));
    else child.stdin.end('exit\n');
  });
  ask(`stty -echo -onlcr; ${shell.prologue}`);
  await once(child, 'close');
  return outputs.slice(1);
};

/** A document cannot show that an answer has no line end: its reader would find the next prompt behind it. */
const withLineEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}<no line end>\n`);

/** Runs the steps in one shell, which keeps its stores and other files in the directory, and returns them with what they really printed. */
export const runSession = async (shell: keyof typeof SHELLS, steps: readonly Step[], directory: string): Promise<readonly Step[]> => {
  const [port = 0, second = 0] = await freePorts(2);
  const outputs = await run(SHELLS[shell], steps, directory, { server: port, second });
  return steps.map(({ command }, index) => ({ command, output: withLineEnd(normalise(outputs[index] ?? '', port)) }));
};
